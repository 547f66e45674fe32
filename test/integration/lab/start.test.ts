import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { SetupFault } from '../../../scripts/setup/setupFault.mjs';
import { findDesktopEditor, openDesktopEditor } from '../../../scripts/start/desktopEditor.ts';
import { mergedSettings, writeSettings } from '../../../scripts/start/profileSettings.ts';
import {
  openStartFolder,
  type StartFolder,
  type StartFolderOptions,
} from '../../../scripts/start/startFolder.ts';

describe('npm start', () => {
  let folder: string;
  let homes: string[];

  /** Opens the test's own folder, and remembers what has to be removed outside of it. */
  async function openStart(options: Omit<StartFolderOptions, 'folder'>): Promise<StartFolder> {
    const opened = await openStartFolder({ folder, ...options });
    if (opened.state.account !== undefined) homes.push(path.dirname(opened.state.account.home));
    return opened;
  }

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-start-'));
    homes = [];
  });
  afterEach(() => {
    for (const one of [folder, ...homes]) fs.rmSync(one, { recursive: true, force: true });
  });

  describe('what it keeps', () => {
    it('the next start has the same ports, account and folders', async () => {
      const first = await openStart({ isFresh: false });
      await first.release();
      const next = await openStart({ isFresh: false });
      assert.deepEqual([next.state, next.lab, next.profile], [first.state, first.lab, first.profile]);
      await next.release();
    });

    it('a fresh start forgets everything, and a damaged state counts as none', async () => {
      const first = await openStart({ isFresh: false });
      fs.mkdirSync(first.profile);
      await first.release();
      const next = await openStart({ isFresh: true });
      assert.equal(fs.existsSync(first.profile), false);
      assert.notDeepEqual(next.state, first.state);
      await next.release();
      fs.writeFileSync(path.join(folder, 'state.json'), '{"ports":');
      await (await openStart({ isFresh: false })).release();
    });

    it('a second start is refused while the first one runs, and not after it was killed', async () => {
      const first = await openStart({ isFresh: false });
      await assert.rejects(openStart({ isFresh: false }), (error) => {
        assert.ok(error instanceof SetupFault);
        assert.match(error.message, /another npm start uses/);
        return true;
      });
      await first.release();
      fs.writeFileSync(`${folder}.pid`, '4194305'); // above what a process id can be
      await (await openStart({ isFresh: false })).release();
    });

    it('a port of last time that is taken is replaced; a wanted one that is taken ends the start', async () => {
      const first = await openStart({ isFresh: false });
      await first.release();
      const { editor } = first.state.ports;
      const owner = net.createServer().listen(editor, '127.0.0.1');
      await once(owner, 'listening');
      try {
        const next = await openStart({ isFresh: false });
        assert.notEqual(next.state.ports.editor, editor);
        await next.release();
        await assert.rejects(openStart({ isFresh: false, editorPort: editor }), SetupFault);
      } finally {
        owner.close();
      }
    });
  });

  describe('settings of its profile', () => {
    const wanted = { 'termind.ssh.configFile': '/lab/ssh_config' };

    it("a person's own settings stay, and those of the lab are renewed", async () => {
      const first = await mergedSettings(folder, wanted);
      assert.equal(first['termind.ssh.configFile'], '/lab/ssh_config');
      await writeSettings(folder, { ...first, 'editor.fontSize': 20, 'termind.ssh.configFile': '/old' });
      assert.deepEqual(await mergedSettings(folder, wanted), { ...first, 'editor.fontSize': 20 });
    });

    it('a file with comments is set aside and not lost', async () => {
      await writeSettings(folder, {});
      const file = path.join(folder, 'User/settings.json');
      fs.writeFileSync(file, '{ // mine\n}');
      assert.equal((await mergedSettings(folder, wanted))['termind.ssh.configFile'], '/lab/ssh_config');
      assert.equal(fs.readFileSync(`${file}.kept`, 'utf8'), '{ // mine\n}');
    });
  });

  describe('the desktop editor', () => {
    /** Stands for `code`: writes its arguments to a file, refuses an extension called bad.vsix, waits in its window. */
    function fakeEditor(): string {
      const program = path.join(folder, 'code');
      fs.writeFileSync(
        program,
        `#!/bin/sh
echo "$*" >> ${folder}/arguments
case "$*" in
  *bad.vsix*) echo 'Unable to install extension: it needs a newer VS Code.' >&2; exit 1 ;;
  *--install-extension*) exit 0 ;;
esac
while [ -e ${folder}/window ]; do sleep 0.05; done
`,
        { mode: 0o755 },
      );
      fs.writeFileSync(path.join(folder, 'window'), '');
      return program;
    }

    function request(vsix: string) {
      return { profile: folder, vsix, settings: { 'termind.ssh.configFile': '/lab/ssh_config' } };
    }

    it('gets a profile of its own with extension and settings, and its end is seen', async () => {
      const editor = await openDesktopEditor(fakeEditor(), request('good.vsix'));
      const settings = fs.readFileSync(path.join(folder, 'desktop-data/User/settings.json'), 'utf8');
      assert.match(settings, /"termind\.ssh\.configFile": "\/lab\/ssh_config"/);
      fs.rmSync(path.join(folder, 'window'));
      await editor.closed;
      await editor.stop();
      const [installing, opening] = fs.readFileSync(path.join(folder, 'arguments'), 'utf8').split('\n');
      const profile = `--user-data-dir ${folder}/desktop-data --extensions-dir ${folder}/desktop-extensions`;
      for (const words of [installing, opening]) assert.ok(words?.startsWith(profile));
      assert.match(installing ?? '', /--install-extension good\.vsix --force$/);
      assert.match(opening ?? '', /--new-window --wait --skip-release-notes$/);
    });

    it('is ended by stop', async () => {
      const editor = await openDesktopEditor(fakeEditor(), request('good.vsix'));
      await editor.stop();
      await editor.closed;
    });

    it('that refuses the extension is said in its own words', async () => {
      await assert.rejects(openDesktopEditor(fakeEditor(), request('bad.vsix')), (error) => {
        assert.ok(error instanceof SetupFault);
        assert.match(error.message, /it needs a newer VS Code\.$/m);
        return true;
      });
    });

    for (const [reason, env] of [
      ['no display', { DISPLAY: undefined }],
      ['a terminal of a remote editor', { VSCODE_IPC_HOOK_CLI: '/run/ipc.sock' }],
      ['a Linux inside Windows', { WSL_DISTRO_NAME: 'Debian' }],
    ] as const)
      it(`is not used: ${reason}`, function () {
        assert.equal(findDesktopEditor({ DISPLAY: ':0', ...env }), undefined);
      });
  });
});
