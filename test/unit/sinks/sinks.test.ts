import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'mocha';
import { findSinks, type FoundSink } from './findSinks.ts';
import { knownSinks, type KnownSink } from './sinks.ts';

const src = path.resolve(import.meta.dirname, '../../../src');
const read = (file: string): string => readFileSync(path.join(src, file), 'utf8');

const isAt = (known: KnownSink, found: FoundSink): boolean =>
  known.kind === found.kind &&
  known.file === found.file &&
  (known.inside === undefined || known.inside === found.inside);
const placeOf = ({ kind, file, inside }: KnownSink): string => `${kind} in ${file}: ${inside ?? 'anywhere'}`;

describe('where text leaves the program', function () {
  this.timeout(120_000);
  let found: readonly FoundSink[] = [];
  before(() => {
    found = globSync('**/*.ts', { cwd: src }).flatMap((file) =>
      findSinks(file.split(path.sep).join('/'), read(file)),
    );
  });

  it('only our own words and redacted text do, or the list of sinks says why', () => {
    const unknown = found.filter((sink) => !sink.isGuarded && !knownSinks.some((known) => isAt(known, sink)));
    assert.deepEqual(
      unknown.map(({ kind, file, inside, line }) => `${kind} in ${file}:${String(line)} (${inside})`),
      [],
      'Pass it through the redactor where it leaves, or add it to test/unit/sinks/sinks.ts with the reason.',
    );
  });

  it('the list names no sink that is gone, and hides no new one beside an old one', () => {
    const wrong = knownSinks.filter((known) => {
      const { length } = found.filter((sink) => !sink.isGuarded && isAt(known, sink));
      return known.inside === undefined ? length === 0 : length !== (known.times ?? 1);
    });
    assert.deepEqual(wrong.map(placeOf), []);
  });

  it('what the list relies on calls the redactor', () => {
    const broken = knownSinks.filter(
      ({ by }) => by !== undefined && !/\b(redact|redactJson|redactMessage|stream)\(/.test(read(by)),
    );
    assert.deepEqual(broken.map(placeOf), []);
  });

  it('finds the sinks that there are, so that it looks at the right calls', () => {
    for (const kind of [
      'page',
      'message',
      'clipboard',
      'document',
      'file',
      'database',
      'memento',
      'log',
    ] as const)
      assert.ok(
        found.some((sink) => sink.kind === kind),
        kind,
      );
    const posts = found.filter(({ kind, isGuarded }) => kind === 'page' && isGuarded);
    assert.deepEqual([...new Set(posts.map(({ file }) => file))].sort(), [
      'features/assistant/editor/assistantPage.ts',
      'features/pages/editorPages.ts',
    ]);
  });
});

describe('the search for sinks', () => {
  const inFunction = (body: string): readonly FoundSink[] =>
    findSinks('features/x.ts', `function leak(secret: string, error: unknown) { ${body} }`);

  for (const [kind, body] of [
    ['page', 'webview.postMessage({ kind: "show", text: secret });'],
    ['frame', 'panel.webview.html = secret;'],
    ['message', 'void vscode.window.showErrorMessage(secret);'],
    ['message', 'void vscode.window.showErrorMessage(String(error));'],
    ['message', 'void vscode.window.showErrorMessage(vscode.l10n.t("It failed: {0}", String(error)));'],
    ['message', 'const text = `${secret}!`; void vscode.window.showInformationMessage(text);'],
    ['message', 'void vscode.window.showWarningMessage("Sure?", { modal: true, detail: secret });'],
    ['clipboard', 'await vscode.env.clipboard.writeText(secret);'],
    ['document', 'await vscode.workspace.openTextDocument({ content: secret });'],
    ['file', 'await fs.writeFile("x", secret);'],
    ['file', 'appendFileSync("x", secret);'],
    ['memento', 'await context.globalState.update("x", secret);'],
    ['log', 'console.log(secret);'],
    ['log', 'process.stderr.write(secret);'],
    ['log', 'vscode.window.createOutputChannel(name, { log: true });'],
    ['request', 'await fetch(secret);'],
    ['program', 'spawn(program, [secret]);'],
    ['database', 'connection.prepare("INSERT OR REPLACE INTO t (a) VALUES (?)").run(secret);'],
    ['database', 'connection.prepare(`UPDATE t SET a = ?`).run(secret);'],
  ] as const)
    it(`reports ${kind}: ${body}`, () => {
      assert.deepEqual(
        inFunction(body).map((sink) => [sink.kind, sink.inside, sink.isGuarded]),
        [[kind, 'leak', false]],
      );
    });

  for (const body of [
    'webview.postMessage(ports.redactor.redactJson(message));',
    'void vscode.window.showErrorMessage(ports.describeError(error));',
    'void vscode.window.showErrorMessage(vscode.l10n.t("It failed: {0}", ports.describeError(error)));',
    'const why = vscode.l10n.t("Because."); void vscode.window.showInformationMessage(isGood ? "Good." : why);',
    'await vscode.env.clipboard.writeText(redactor.redact(secret));',
  ])
    it(`accepts: ${body}`, () =>
      assert.deepEqual(
        inFunction(body).filter(({ isGuarded }) => !isGuarded),
        [],
      ));

  it('does not trust a name that is declared twice, or a parameter', () => {
    const twice = `const text = vscode.l10n.t('a'); void vscode.window.showInformationMessage(text);
      function other() { const text = secret; void vscode.window.showInformationMessage(text); }`;
    assert.equal(
      findSinks('x.ts', twice).every(({ isGuarded }) => !isGuarded),
      true,
    );
  });
});
