import * as vscode from 'vscode';
import {
  DisposableBag,
  Emitter,
  type ClockPort,
  type Disposable,
  type Event,
  type Redactor,
} from '../../../agentkit/index.ts';
import type { LogPort } from '../../../application/ports/prompts.ts';
import { Panel, View } from '../../../ids.ts';
import type { Strings, ToWebview } from '../../../webview/assistant/protocol.ts';
import type { AssistantModel } from '../model/assistantModel.ts';
import type { AssistantTexts } from '../presentation/texts.ts';
import type { AssistantIntents } from '../screen/intents.ts';
import type { Screen } from '../screen/screen.ts';
import { assistantPage } from './assistantPage.ts';

export interface ScreensOptions {
  readonly extensionUri: vscode.Uri;
  readonly model: AssistantModel;
  readonly intents: AssistantIntents;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly redactor: Pick<Redactor, 'redactJson'>;
  readonly texts: AssistantTexts;
  readonly strings: Strings;
  /** A screen appears for the first time: the runtime is needed now. */
  readonly onFirstUse: () => void;
  /** A panel that was open before names the conversation it showed. */
  readonly onRestore: (conversationId: string) => void;
}

/**
 * The assistant's view in the side bar and its panel among the editors; both show the same conversation. What draws a screen is loaded
 * with the first one.
 */
export class AssistantScreens
  implements Disposable, vscode.WebviewViewProvider, vscode.WebviewPanelSerializer
{
  readonly #options: ScreensOptions;
  readonly #bag = new DisposableBag();
  readonly #visibility = this.#bag.add(new Emitter<void>());
  #view: { readonly view: vscode.WebviewView; readonly screen: Screen } | undefined;
  /** For the screen that is being opened, as soon as it is there. */
  #unsaid: ToWebview | undefined;
  /** The screen is there once it is loaded. */
  #panel: { readonly panel: vscode.WebviewPanel; screen: Screen | undefined } | undefined;

  constructor(options: ScreensOptions) {
    this.#options = options;
    this.#bag.add(vscode.window.registerWebviewViewProvider(View.assistant, this));
    this.#bag.add(vscode.window.registerWebviewPanelSerializer(Panel.assistant, this));
    this.#bag.add(options.model.onDidChange(() => this.#updateFrames()));
  }

  /** A screen came into sight or went out of it. */
  readonly onDidChangeVisibility: Event<void> = (listener) => this.#visibility.event(listener);

  /** True while a person can see the assistant. */
  get isVisible(): boolean {
    return this.#view?.screen.isVisible === true || this.#panel?.screen?.isVisible === true;
  }

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const bag = this.#bag.add(new DisposableBag());
    bag.add(
      view.onDidDispose(() => {
        this.#bag.drop(bag);
        if (this.#view?.view === view) this.#view = undefined;
        this.#visibility.fire();
      }),
    );
    const screen = bag.add(await this.#screenOf(view.webview, 'view'));
    if (bag.isClosed) return;
    this.#view = { view, screen };
    bag.add(view.webview.onDidReceiveMessage((message: unknown) => screen.receive(message)));
    bag.add(view.onDidChangeVisibility(() => this.#setVisible(screen, view.visible)));
    this.#updateFrames();
    this.#setVisible(screen, view.visible);
    this.#sayTo(screen);
    this.#options.onFirstUse();
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { conversationOfPanel } = await import('../screen/panelState.ts');
    const conversation = conversationOfPanel(state);
    if (conversation !== undefined) this.#options.onRestore(conversation);
    await this.#adopt(panel);
  }

  /** Shows the conversation among the editors. */
  async openPanel(): Promise<void> {
    if (this.#panel !== undefined) {
      this.#panel.panel.reveal();
      return;
    }
    await this.#adopt(
      vscode.window.createWebviewPanel(Panel.assistant, this.#options.model.title, vscode.ViewColumn.Active, {
        enableScripts: true,
      }),
    );
  }

  /** Brings a screen to the front, the panel when it is open, otherwise the view, and says something to it. */
  async reveal(message: ToWebview): Promise<void> {
    if (this.#panel !== undefined) {
      this.#panel.panel.reveal();
      this.#unsaid = message;
      if (this.#panel.screen !== undefined) this.#sayTo(this.#panel.screen);
      return;
    }
    this.#unsaid = message;
    await vscode.commands.executeCommand(`${View.assistant}.focus`);
    if (this.#view !== undefined) this.#sayTo(this.#view.screen);
  }

  dispose(): void {
    this.#panel?.panel.dispose();
    this.#bag.dispose();
  }

  /** The editor may open the view only after its command is done. */
  #sayTo(screen: Screen): void {
    if (this.#unsaid !== undefined) screen.postWhenReady(this.#unsaid);
    this.#unsaid = undefined;
  }

  async #adopt(panel: vscode.WebviewPanel): Promise<void> {
    const bag = this.#bag.add(new DisposableBag());
    const shown: { readonly panel: vscode.WebviewPanel; screen: Screen | undefined } = {
      panel,
      screen: undefined,
    };
    this.#panel = shown;
    panel.iconPath = new vscode.ThemeIcon('comment-discussion');
    bag.add(
      panel.onDidDispose(() => {
        this.#bag.drop(bag);
        if (this.#panel?.panel === panel) this.#panel = undefined;
        this.#visibility.fire();
      }),
    );
    const screen = bag.add(await this.#screenOf(panel.webview, 'panel'));
    if (bag.isClosed) return;
    shown.screen = screen;
    bag.add(panel.webview.onDidReceiveMessage((message: unknown) => screen.receive(message)));
    bag.add(panel.onDidChangeViewState(() => this.#setVisible(screen, panel.visible)));
    this.#updateFrames();
    this.#setVisible(screen, panel.visible);
    this.#sayTo(screen);
    this.#options.onFirstUse();
  }

  #setVisible(screen: Screen, isVisible: boolean): void {
    screen.setVisible(isVisible);
    this.#visibility.fire();
  }

  async #screenOf(webview: vscode.Webview, surface: 'view' | 'panel'): Promise<Screen> {
    const { Screen: LoadedScreen } = await import('../screen/screen.ts');
    const { extensionUri, onFirstUse: _first, onRestore: _restore, ...rest } = this.#options;
    const page = assistantPage(webview, { extensionUri, surface, redactor: rest.redactor });
    page.load();
    return new LoadedScreen({ ...rest, page });
  }

  /** What the editor draws around the pages. */
  #updateFrames(): void {
    const { model } = this.#options;
    const { title } = model;
    if (this.#panel !== undefined && this.#panel.panel.title !== title) this.#panel.panel.title = title;
    if (this.#view === undefined) return;
    const { view } = this.#view;
    if (view.description !== title) view.description = title;
    const count = model.waiting.length;
    if ((view.badge?.value ?? 0) === count) return;
    view.badge =
      count === 0 ? undefined : { value: count, tooltip: vscode.l10n.t('{0} waiting for you', count) };
  }
}
