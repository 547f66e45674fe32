import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'mocha';
import { systemClock, type AgentEvent } from '../../../src/agentkit/index.ts';
import type { SecretQuestion } from '../../../src/application/ports/prompts.ts';
import { parseHostId } from '../../../src/domain/host/hostId.ts';
import { attemptJson } from '../../../src/domain/ssh/attemptJson.ts';
import { AssistantActions } from '../../../src/features/assistant/model/assistantActions.ts';
import { AssistantModel } from '../../../src/features/assistant/model/assistantModel.ts';
import { screenStrings } from '../../../src/features/assistant/presentation/texts.ts';
import { Screen } from '../../../src/features/assistant/screen/screen.ts';
import { protocolVersion, type ToWebview } from '../../../src/webview/assistant/protocol.ts';
import { processTable } from '../../lab/processes.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../../lab/sudoer.ts';
import type { LabAccount } from '../../lab/account.ts';
import { skipBecause } from '../../skip.ts';
import { appeared } from '../../support/appeared.ts';
import { printedForms, hits } from '../../support/canaries.ts';
import { endTexts, plainL10n, texts } from '../../unit/features/assistant/support.ts';
import { sharedFolder } from './labHost.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from './labWindow.ts';
import { calls, callsOn, command, says, type ScriptedCall } from './scripts.ts';

/** One for each kind of secret, with everything in it that some form writes in another way. */
const canaries = {
  password: 'pass "w\\rd" ä/+?&=%41 one',
  passphrase: 'phrase "w\\rd" ö/+?&=%42 two',
  sudo: 'sudo "w\\rd" ü/+?&=%43 three',
  wrongSudo: 'wrong "w\\rd" ß/+?&=%44 four',
  typed: 'typed "w\\rd" é/+?&=%45 five',
  unused: 'unused "w\\rd" ñ/+?&=%46 six',
  apiKey: 'api "w\\rd" /+?&=%47 seven',
} as const;

describe('S3: secrets of a whole session', function () {
  this.timeout(180_000);
  let account: LabAccount | undefined;
  let window: LabWindow | undefined;
  let model: ScriptedModel | undefined;
  let screen: Screen | undefined;
  const servers: Sshd[] = [];
  const folder = sharedFolder();

  before(function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  afterEach(async () => {
    screen?.dispose();
    window?.close();
    window?.remove();
    await Promise.all([...servers.splice(0).map((server) => server.stop()), model?.stop()]);
    account?.dispose();
    folder.remove();
    assert.deepEqual(model?.violations, []);
  });

  /** A host that a key with a passphrase opens, where sudo works, and one that a password opens. */
  async function startHosts(): Promise<string> {
    account = await createSudoer({ password: canaries.sudo });
    const byKey = await startSshd({ account });
    const byPassword = await startSshd({ account: { password: canaries.password } });
    servers.push(byKey, byPassword);
    const key = await byKey.newKey({ passphrase: canaries.passphrase });
    await byKey.authorize(key);
    return [
      byKey.configText('lab').replace(byKey.key.privateFile, key.privateFile),
      byPassword.configText('web').replace(/^ *Identity.*\n/gm, ''),
      '  PubkeyAuthentication no\n',
    ].join('');
  }

  /** What a page of the assistant is sent while `opened` works. */
  function showOn(opened: LabWindow): ToWebview[] {
    const posted: ToWebview[] = [];
    const shown = new AssistantModel({
      texts: endTexts,
      clock: systemClock,
      describeError: String,
      describeFault: ({ code }) => code,
      defaultMode: () => 'ask',
      reviewModel: () => '',
      onError: (error) => {
        throw error;
      },
    });
    shown.attach(opened.services);
    const nothing = (): void => {};
    screen = new Screen({
      page: { post: (message) => void posted.push(message), load: nothing, showStatic: nothing },
      model: shown,
      intents: new AssistantActions({
        model: shown,
        texts,
        describeError: String,
        editor: {
          writeClipboard: nothing,
          openExternal: nothing,
          openResource: nothing,
          openFile: nothing,
          openFolders: () => [],
          runCommand: nothing,
          openSetting: nothing,
          showError: nothing,
          suggest: nothing,
        },
      }),
      clock: systemClock,
      log: opened.log,
      texts,
      strings: screenStrings(plainL10n),
    });
    screen.setVisible(true);
    screen.receive({ kind: 'hello', protocol: protocolVersion });
    void opened.services.assistant.list().then(async ([latest]) => {
      const session = latest && (await opened.services.assistant.open(latest.id));
      if (session !== undefined) shown.show(session);
    });
    return posted;
  }

  it('reach no row, file, log, event, page, request, export, trace or process list, in any form', async () => {
    const sshConfig = await startHosts();
    model = await startScriptedModel({ apiKey: canaries.apiKey });
    const asked: string[] = [];
    const typed: string[] = [canaries.wrongSudo, canaries.sudo, canaries.typed, canaries.unused];
    window = new LabWindow({
      sshConfig,
      baseUrl: model.baseUrl,
      key: canaries.apiKey,
      signIn: ({ kind }: SecretQuestion) => {
        asked.push(kind);
        return kind === 'passphrase' ? canaries.passphrase : canaries.password;
      },
      secretField: {
        ask: async (_question, shown) => {
          shown();
          return typed.shift();
        },
      },
    });
    const [lab, web] = [await window.hostId('lab'), await window.hostId('web')];
    const at = (name: string): string => join(folder.path, name);
    // What was typed until then, in every form, as a careless program would print it.
    const { typed: later, unused: _never, ...known } = canaries;
    const write = (name: string, secrets: readonly string[]): void =>
      writeFileSync(at(name), `${secrets.flatMap(printedForms).join('\n')}\n`);
    write('leak', Object.values(known));
    write('last', [...Object.values(known), later]);
    writeFileSync(at('long'), `${canaries.sudo} and more\n`.repeat(3_000));

    const session = await window.services.assistant.create();
    const events: AgentEvent[] = [];
    const listening = session.onEvent((event) => void events.push(event));
    const posted = showOn(window);
    const on = (field: string, make: (value: string) => readonly ScriptedCall[]) =>
      callsOn(({ conversation }) => {
        const last = conversation.messages.findLast(
          ({ role, text }) => role === 'tool' && text.includes(`"${field}"`) && !text.includes('expired'),
        );
        return make(textOf(unwrapped(last?.text ?? ''), field));
      });
    const asksFor = (id: string, tool: string, purpose: string): ScriptedCall => ({
      id,
      name: 'request_user_secret',
      args: { prompt: 'Please', host_id: lab, consumer_tool: tool, purpose },
    });
    model.enqueue(
      calls(command('one', lab, 'uptime'), command('two', web, 'uptime')),
      calls(asksFor('ask1', 'ssh_exec_run', 'sudo')),
      on('secret_handle', (secret_handle) => [
        command('sudo', lab, {
          line: `sudo sh -c 'touch ${at('began')}; while [ ! -e ${at('go')} ]; do sleep 0.1; done; cat ${at('leak')}; cat ${at('leak')} >&2; cat ${at('long')}'`,
          secret_handle,
          yield_ms: 60_000,
        }),
      ]),
      calls(
        command('read', lab, {
          line: 'read -r x; printf "%s\\n" "$x" | tee /dev/stderr; ls "/nowhere/$x"; printf %s "$x" | base64 -w0',
          stdin: { keep_open: true },
          yield_ms: 0,
        }),
      ),
      calls(asksFor('ask2', 'ssh_exec_stdin', 'command_input')),
      callsOn(({ conversation }) => {
        const results = conversation.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
        const handle = results.findLast((text) => text.includes('secret_handle')) ?? '';
        const read = results.findLast((text) => text.includes('"exec_id"')) ?? '';
        return [
          {
            id: 'give',
            name: 'ssh_exec_stdin',
            args: {
              exec_id: unwrapped(read)['exec_id'],
              secret_handle: unwrapped(handle)['secret_handle'],
              eof: true,
            },
          },
        ];
      }),
      on('exec_id', (exec_id) => [
        { id: 'out', name: 'ssh_exec_output', args: { exec_id, wait_ms: 60_000 } },
      ]),
      calls(command('web', web, `cat ${at('last')}`), { id: 'list', name: 'ssh_exec_list', args: {} }),
      calls(asksFor('ask3', 'ssh_exec_run', 'sudo')),
      says('All done, without any of them.'),
    );
    await session.send('Look after lab and web');
    await window.decide('approve');
    await appeared(at('began'));
    const processes = [...processTable()];
    assert.ok(
      processes.some(([, content]) => content.includes('termind-sudo-')),
      'the command under sudo is among the processes that were looked at',
    );
    writeFileSync(at('go'), '');
    await window.decide('approve');
    const whileReading = [...processTable()];
    await window.decide('approve');
    await window.settled(session, 120_000);
    listening.dispose();

    assert.equal(session.snapshot().runs.at(-1)?.state, 'completed');
    assert.deepEqual([...asked].sort(), ['passphrase', 'password']);
    assert.deepEqual(typed, [], 'all were asked for and typed');
    const results = resultsOf(session);
    const shownLeak = results.filter((text) => text.includes('[redacted]'));
    assert.ok(shownLeak.length >= 3, 'the careless programs did print them');
    assert.ok(
      results.some((text) => text.includes('"full_output_path"')),
      'and a capture was written',
    );
    assert.ok(posted.some(({ kind }) => kind === 'delta'));

    const { services } = window;
    const conversation = { id: session.id, title: 'x' };
    const traces = [lab, web].map((id) => {
      const host = parseHostId(id);
      assert.ok(host);
      return services.connections.trace(host);
    });
    const exports = [
      await services.requestLog.show(conversation),
      await services.requestLog.export(conversation),
      await services.operations.export(new AbortController().signal),
      JSON.stringify(await services.operations.timeline({ hostId: undefined, limit: 1_000 })),
      ...traces.map((of) => attemptJson({ label: 'x', fault: undefined, traces: of })),
    ];
    const shown: (readonly [string, unknown])[] = [
      ...model.requests.map(({ raw }, index) => [`request ${String(index)}`, raw] as const),
      ...events.map((event) => [`event ${event.body.kind}`, event] as const),
      ...posted.map((message) => [`page message ${message.kind}`, message] as const),
      ['snapshot', session.snapshot()],
      ...exports.map((text, index) => [`export ${String(index)}`, text] as const),
      ...window.log.lines.map((line) => ['log', line] as const),
      ...processes,
      ...whileReading,
    ];
    await services.close();
    const files = readdirSync(window.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    assert.ok(
      files.some((file) => file.endsWith('.db')),
      'the database is among the files',
    );
    assert.ok(
      files.some((file) => file.includes('ssh-exec')),
      'and so are captures',
    );
    const stored = files.map((file) => [file, readFileSync(file)] as const);
    assert.deepEqual(hits(canaries, [...shown, ...stored]), []);
  });
});
