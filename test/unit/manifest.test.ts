import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { z } from 'zod';
import {
  Command,
  Container,
  ContextKey,
  Panel,
  Scheme,
  Setting,
  TerminalProfile,
  View,
  Walkthrough,
} from '../../src/ids.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

const menuItem = z.object({ command: z.string(), when: z.string().optional(), group: z.string().optional() });
const setting = z.object({
  scope: z.string(),
  ignoreSync: z.boolean().default(false),
  default: z.unknown(),
});
const manifestSchema = z.object({
  engines: z.object({ vscode: z.string() }),
  extensionKind: z.array(z.string()),
  activationEvents: z.array(z.string()),
  capabilities: z.object({
    untrustedWorkspaces: z.object({ supported: z.string(), restrictedConfigurations: z.array(z.string()) }),
    virtualWorkspaces: z.boolean(),
  }),
  contributes: z.object({
    commands: z.array(
      z.object({ command: z.string(), title: z.string(), category: z.string(), icon: z.string().optional() }),
    ),
    menus: z.record(z.string(), z.array(menuItem)),
    keybindings: z.array(z.object({ command: z.string(), key: z.string(), when: z.string() })),
    configuration: z.object({ properties: z.record(z.string(), setting) }),
    viewsContainers: z.record(z.string(), z.array(z.object({ id: z.string(), icon: z.string() }))),
    views: z.record(z.string(), z.array(z.object({ id: z.string(), icon: z.string() }))),
    viewsWelcome: z.array(z.object({ view: z.string(), contents: z.string(), when: z.string() })),
    terminal: z.object({ profiles: z.array(z.object({ id: z.string() })) }),
    walkthroughs: z.array(
      z.object({
        id: z.string(),
        steps: z.array(
          z.object({ media: z.object({ svg: z.string() }), completionEvents: z.array(z.string()) }),
        ),
      }),
    ),
  }),
});

const raw = read('package.json');
const manifest = manifestSchema.parse(raw);
const { contributes } = manifest;
const texts = z.record(z.string(), z.string()).parse(read('package.nls.json'));

/** What vscode.md 12 fixes for each setting: a changed row is a decision, not an oversight. */
const settings: Record<Setting, z.output<typeof setting>> = {
  [Setting.permissionMode]: { scope: 'application', ignoreSync: true, default: 'ask' },
  [Setting.providers]: { scope: 'application', ignoreSync: false, default: [] },
  [Setting.editorModels]: { scope: 'application', ignoreSync: false, default: {} },
  [Setting.reviewModel]: { scope: 'application', ignoreSync: true, default: '' },
  [Setting.sshConfigFile]: { scope: 'application', ignoreSync: true, default: '' },
  [Setting.sshPath]: { scope: 'application', ignoreSync: true, default: '' },
  [Setting.sshAgent]: { scope: 'application', ignoreSync: true, default: '' },
  [Setting.appendToUserFile]: { scope: 'application', ignoreSync: true, default: false },
  [Setting.confirmPaste]: { scope: 'application', ignoreSync: true, default: true },
  [Setting.deleteMode]: { scope: 'application', ignoreSync: true, default: 'trash' },
  [Setting.archives]: { scope: 'application', ignoreSync: true, default: 'ask' },
  [Setting.approvalRules]: { scope: 'application', ignoreSync: true, default: [] },
  [Setting.runCeilings]: { scope: 'application', ignoreSync: true, default: {} },
  [Setting.prices]: { scope: 'application', ignoreSync: false, default: {} },
  [Setting.webSearch]: { scope: 'application', ignoreSync: false, default: {} },
  [Setting.operationsDays]: { scope: 'application', ignoreSync: false, default: 180 },
};

/** Settings that only change how things look need no trust in the folder. */
const isVisual = (id: string) => id.startsWith('termind.display.');

/** Commands that only our own code runs. */
const internalCommands: readonly string[] = [
  Command.clickHost,
  Command.openSelectedHost,
  Command.pickHost,
  Command.moreFiles,
  Command.moreTransferFiles,
];

describe('the manifest', () => {
  it('contributes the commands of the registry and no others', () => {
    assert.deepEqual(contributes.commands.map((one) => one.command).sort(), Object.values(Command).sort());
  });

  it('gives every command the category Termind, so that the palette groups them', () => {
    assert.deepEqual([...new Set(contributes.commands.map((one) => one.category))], ['Termind']);
  });

  it('declares the settings of the registry, each with its scope, sync flag and default', () => {
    assert.deepEqual(contributes.configuration.properties, settings);
  });

  it('restricts every setting that is not purely visual in a folder that is not trusted', () => {
    assert.deepEqual(
      [...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(),
      Object.values(Setting)
        .filter((id) => !isVisual(id))
        .sort(),
    );
  });

  it('works limited without trust and without a folder on disk', () => {
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(manifest.capabilities.virtualWorkspaces, true);
  });

  it('contributes the views of the registry in its two containers', () => {
    assert.deepEqual(
      Object.values(contributes.viewsContainers)
        .flatMap((list) => list.map((one) => one.id))
        .sort(),
      Object.values(Container).sort(),
    );
    assert.deepEqual(Object.keys(contributes.views).sort(), Object.values(Container).sort());
    assert.deepEqual(
      Object.values(contributes.views)
        .flatMap((list) => list.map((one) => one.id))
        .sort(),
      Object.values(View).sort(),
    );
  });

  it('shows the assistant in the secondary side bar', () => {
    assert.deepEqual(
      contributes.viewsContainers['secondarySidebar']?.map((one) => one.id),
      [Container.assistant],
    );
  });

  it('contributes the terminal profile and the walkthrough of the registry', () => {
    assert.deepEqual(
      contributes.terminal.profiles.map((one) => one.id),
      Object.values(TerminalProfile),
    );
    assert.deepEqual(
      contributes.walkthroughs.map((one) => one.id),
      Object.values(Walkthrough),
    );
  });

  it('starts on the client where there is one', () => {
    assert.deepEqual(manifest.extensionKind, ['ui', 'workspace']);
  });

  it('lists by hand only the activation events that contributions do not imply', () => {
    assert.deepEqual(manifest.activationEvents, [
      ...Object.values(Scheme).map((scheme) => `onFileSystem:${scheme}`),
      ...Object.values(Panel).map((panel) => `onWebviewPanel:${panel}`),
    ]);
  });

  it('uses known commands only in menus, keybindings, welcome texts and walkthrough steps', () => {
    const used = [
      ...Object.values(contributes.menus).flatMap((items) => items.map((item) => item.command)),
      ...contributes.keybindings.map((one) => one.command),
      ...Object.values(texts).flatMap((text) =>
        [...text.matchAll(/\(command:([\w.-]+)\)/g)].map((m) => m[1] ?? ''),
      ),
      ...contributes.walkthroughs.flatMap((one) =>
        one.steps.flatMap((step) => step.completionEvents.map((event) => event.replace(/^onCommand:/, ''))),
      ),
    ];
    const known = new Set<string>(Object.values(Command));
    assert.deepEqual(
      used.filter((command) => !known.has(command)),
      [],
    );
  });

  it('uses known context keys only', () => {
    const known = new Set<string>([...Object.values(ContextKey), ...Object.values(View)]);
    const clauses = [
      ...Object.values(contributes.menus).flatMap((items) => items.map((item) => item.when ?? '')),
      ...contributes.keybindings.map((one) => one.when),
      ...contributes.viewsWelcome.map((one) => one.when),
    ];
    const named = clauses.flatMap((clause) => clause.match(/\btermind\.[\w.]+/g) ?? []);
    assert.deepEqual(
      named.filter((key) => !known.has(key)),
      [],
    );
  });

  it('matches states of tree rows by anchored expressions only', () => {
    const matches = Object.values(contributes.menus)
      .flat()
      .flatMap((item) => item.when?.match(/viewItem\s*[=!]+[~=]?\s*\S+/g) ?? []);
    assert.notEqual(matches.length, 0);
    assert.deepEqual(
      matches.filter((match) => !/^viewItem =~ \/\^/.test(match)),
      [],
    );
  });

  it('puts at most three actions on a row of a view', () => {
    const inline = (contributes.menus['view/item/context'] ?? []).filter((item) =>
      item.group?.startsWith('inline'),
    );
    const places = Object.values(View).map(
      (view) =>
        new Set(inline.filter((item) => item.when?.includes(`view == ${view} `)).map((item) => item.group))
          .size,
    );
    assert.deepEqual(
      places.filter((count) => count > 3),
      [],
    );
  });

  it('hides internal commands from the palette', () => {
    const hidden = (contributes.menus['commandPalette'] ?? []).filter((item) => item.when === 'false');
    assert.deepEqual(
      hidden.map((item) => item.command),
      internalCommands,
    );
  });

  it('decides by keyboard with a modifier and with the focus in the assistant only', () => {
    const deciding = contributes.keybindings.filter(
      (one) => one.command === Command.approve || one.command === Command.deny,
    );
    assert.equal(deciding.length, 2);
    for (const binding of deciding) {
      assert.match(binding.key, /^(ctrl|alt)\+/);
      assert.match(binding.when, /termind\.approvalWaiting && focusedView == 'termind\.assistant'/);
    }
  });

  it('has three different texts for an empty tree, a read-only store and a store that is not there', () => {
    const shown = contributes.viewsWelcome
      .filter((one) => one.view === View.hosts)
      .map((one) => one.contents);
    assert.equal(new Set(shown.map((key) => texts[key.replaceAll('%', '')])).size, shown.length);
    assert.ok(shown.length >= 3);
  });

  it('names pictures that exist', () => {
    const pictures = [
      z.object({ icon: z.string() }).parse(raw).icon,
      ...Object.values(contributes.viewsContainers).flatMap((list) => list.map((one) => one.icon)),
      ...Object.values(contributes.views).flatMap((list) => list.map((one) => one.icon)),
      ...contributes.walkthroughs.flatMap((one) => one.steps.map((step) => step.media.svg)),
    ];
    assert.deepEqual(
      pictures.filter((file) => !existsSync(path.join(root, file))),
      [],
    );
  });

  it('takes every visible text from package.nls.json, which holds no other', () => {
    const used = [...JSON.stringify(raw).matchAll(/"%([\w.-]+)%"/g)].map((match) => match[1] ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });
});
