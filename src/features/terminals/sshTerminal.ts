import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { ChannelExit } from '../../application/ports/connection.ts';
import { TerminalInput, type TerminalInputOptions } from '../../application/terminal/terminalInput.ts';
import type { TerminalSession, TerminalState } from '../../application/terminal/terminalSession.ts';
import type { Fault } from '../../domain/fault.ts';

const dim = (text: string): string => `\x1b[2m${text}\x1b[0m`;

/**
 * One pane: shows a session in the editor's terminal. Output before `open()` is kept. After the end the text stays readable; the
 * next key closes an ended pane and reconnects a lost one. Owns the session. Source: vscode.md 6; ssh.md 7.2.
 */
export class SshTerminal implements vscode.Pseudoterminal, Disposable {
  readonly session: TerminalSession;
  readonly #describeFault: (fault: Fault) => string;
  readonly #onFailed: (fault: Fault) => void;
  readonly #write = new vscode.EventEmitter<string>();
  readonly #close = new vscode.EventEmitter<void>();
  readonly #bag = new DisposableBag();
  readonly #input: TerminalInput;
  #isOpen = false;
  #early: string[] = [];

  readonly onDidWrite = this.#write.event;
  readonly onDidClose = this.#close.event;

  constructor(options: {
    session: TerminalSession;
    describeFault: (fault: Fault) => string;
    /** An attempt that the person started has failed. */
    onFailed: (fault: Fault) => void;
    onDispose: () => void;
    /** What becomes of a paste. */
    pastes: Omit<TerminalInputOptions, 'session'>;
  }) {
    this.session = options.session;
    this.#describeFault = options.describeFault;
    this.#onFailed = options.onFailed;
    this.#bag.add({ dispose: options.onDispose });
    this.#bag.add(this.session);
    this.#input = this.#bag.add(new TerminalInput({ session: this.session, ...options.pastes }));
    this.#bag.add(this.#write);
    this.#bag.add(this.#close);
    this.#bag.add(this.session.onOutput((text) => this.#show(text)));
    this.#bag.add(this.session.onDidChangeState((state) => this.#tell(state)));
  }

  open(dimensions: vscode.TerminalDimensions | undefined): void {
    this.#isOpen = true;
    for (const text of this.#early) this.#write.fire(text);
    this.#early = [];
    this.connect(dimensions);
  }

  /** Connects again in place, keeping the scrollback; does nothing while a shell is open. */
  connect(dimensions?: vscode.TerminalDimensions): void {
    void this.session.start(
      dimensions === undefined ? undefined : { rows: dimensions.rows, cols: dimensions.columns },
    );
  }

  handleInput(data: string): void {
    switch (this.session.state.k) {
      case 'open':
        return this.#input.handle(data);
      case 'ended':
        return this.#close.fire();
      case 'lost':
      case 'failed':
        if (data === '\r') return this.connect();
        return;
      case 'connecting':
        if (data === '\x03') this.#close.fire();
        return;
      case 'closed':
        return;
    }
  }

  setDimensions(dimensions: vscode.TerminalDimensions): void {
    this.session.resize({ rows: dimensions.rows, cols: dimensions.columns });
  }

  close(): void {
    this.dispose();
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #show(text: string): void {
    if (this.#isOpen) this.#write.fire(text);
    else this.#early.push(text);
  }

  #notice(text: string): void {
    this.#show(`\r\n${dim(`termind: ${text}`)}\r\n`);
  }

  #tell(state: TerminalState): void {
    if (state.k === 'failed') this.#onFailed(state.fault);
    switch (state.k) {
      case 'connecting':
        this.#show(dim(`termind: ${vscode.l10n.t('connecting… (Ctrl+C closes)')}`));
        return;
      case 'open':
        this.#show('\r\x1b[2K');
        return;
      case 'ended':
        this.#notice(`${exitText(state.exit)} ${vscode.l10n.t('Press any key to close.')}`);
        return;
      case 'lost':
      case 'failed':
        this.#notice(`${this.#describeFault(state.fault)} ${vscode.l10n.t('Press Enter to reconnect.')}`);
        return;
      case 'closed':
        return;
    }
  }
}

/** No status is said to be unknown, never 0. */
function exitText(exit: ChannelExit): string {
  switch (exit.kind) {
    case 'code':
      return vscode.l10n.t('exited with status {0}.', exit.code);
    case 'signal':
      return vscode.l10n.t('ended by signal {0}.', exit.signal);
    case 'unknown':
      return vscode.l10n.t('ended, status unknown.');
  }
}
