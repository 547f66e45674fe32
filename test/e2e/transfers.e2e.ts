import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { canCreateAccounts } from '../lab/account.ts';
import { startFaultProxy, type FaultProxy } from '../lab/faultProxy.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { editorLines } from './harness/editorLines.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startLabEditor, type LabEditor } from './harness/labEditor.ts';
import { press } from './harness/press.ts';
import { until } from './harness/until.ts';
import type { Workbench } from './harness/workbench.ts';

/** From a folder of this machine to one of a real server and back, as the Transfers view shows it. */
for (const editorLine of editorLines)
  describe(`transfers in the packaged extension on the ${editorLine} editor line`, () => {
    let sshd: Sshd;
    let folder: string;
    let local: string;
    let site: string;
    let line: FaultProxy;
    let editor: LabEditor;
    let window: Workbench;

    before(async () => {
      sshd = await startSshd(canCreateAccounts() ? { account: {} } : {});
      folder = fs.mkdtempSync(path.join(tmpdir(), 'termind-transfers-'));
      local = path.join(folder, 'site');
      site = fs.mkdtempSync(path.join(sshd.account.home, 'srv-'));
      fs.chownSync(site, sshd.account.uid, sshd.account.gid);
      for (const [file, text] of [
        ['index.html', '<h1>Welcome</h1>'],
        ['css/main.css', 'body { margin: 0 }'],
      ] as const) {
        fs.mkdirSync(path.dirname(path.join(local, file)), { recursive: true });
        fs.writeFileSync(path.join(local, file), text);
      }
      fs.mkdirSync(path.join(folder, 'back', 'here'), { recursive: true });
      line = await startFaultProxy({ port: sshd.port });
      editor = await startLabEditor(sshd, { line: editorLine, port: line.port });
      window = editor.window;
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed')
        await window.screenshot(`transfers-failed-${editorLine}`, ['dark']);
    });
    after(async () => {
      await editor.stop();
      await line.stop();
      for (const one of [folder, site]) fs.rmSync(one, { recursive: true, force: true });
      await sshd.stop();
    });

    it('uploads a folder and shows that it has arrived', async () => {
      await window.openActivity('Termind');
      await upload(local, 'css');
      await window.runCommand('Termind: Focus on Transfers View');
      await window.treeItem('↑ lab · 34 B, 2 files').waitFor();
      assert.deepEqual(contents(path.join(site, 'site')), contents(local));
      await picture('transfers-1-uploaded', ['dark', 'light']);
    });

    it('downloads a folder', async () => {
      await window.runCommand('Termind: Download to…');
      await window.quickPickRow('lab').first().click();
      await window.page.locator('.quick-input-widget', { hasText: 'The file or folder on lab' }).waitFor();
      await window.answerInput(path.join(site, 'site'));
      await window.chooseFolder(path.join(folder, 'back'), { button: 'Download Here', shows: 'here' });
      await window.treeItem('↓ lab · 34 B, 2 files').waitFor();
      assert.deepEqual(contents(path.join(folder, 'back', 'site')), contents(local));
      await window.page.setViewportSize({ width: 640, height: 800 });
      await picture('transfers-2-narrow', ['dark']);
      await window.page.setViewportSize({ width: 1280, height: 800 });
    });

    it('goes on where it was when the line was cut', async () => {
      const bytes = large('heavy');
      line.set({ bytesPerSecond: 4 * mebibyte });
      const before = line.counters.toTarget.delivered;
      await upload(path.join(folder, 'heavy'), 'inside');
      await line.waitFor(({ toTarget }) => toTarget.delivered > before + 9 * mebibyte);
      line.set({ silence: 'hold' });
      await picture('transfers-3-running', ['dark', 'light']);
      line.cutAll('reset');
      line.set({});
      const cut = line.counters.toTarget.received;
      await actOn('heavy', 'Try Transfer Again');
      await window.treeItem('↑ lab · 16 MiB, 1 file').waitFor();
      assert.deepEqual(fs.readFileSync(path.join(site, 'heavy/inside/large.bin')), bytes);
      assert.ok(line.counters.toTarget.received - cut < bytes.length, 'it began anew');
    });

    it('is cancelled, and its target is not there', async () => {
      large('unwanted');
      line.set({ bytesPerSecond: 4 * mebibyte });
      const before = line.counters.toTarget.delivered;
      await upload(path.join(folder, 'unwanted'), 'inside');
      await line.waitFor(({ toTarget }) => toTarget.delivered > before + mebibyte);
      line.set({ silence: 'hold' });
      await actOn('unwanted', 'Cancel Transfer');
      line.set({});
      await window.treeItem('↑ lab · cancelled').waitFor();
      assert.equal(fs.existsSync(path.join(site, 'unwanted/inside/large.bin')), false);
      await picture('transfers-4-cancelled', ['dark']);
    });

    it('moves many small files as an archive once that is agreed, and does not ask again', async () => {
      manySmall('many');
      await upload(path.join(folder, 'many'), 'inside');
      const question = window.notification('A folder with 220 small files is moved.');
      await question.waitFor();
      await picture('transfers-5-archive', ['dark', 'light']);
      await press(
        question.getByRole('button', { name: 'Use tar on lab' }),
        async () => !(await question.isVisible()),
      );
      await window.treeItem(/many.*220 files/).waitFor();
      manySmall('more');
      const before = commandsOf(sshd);
      await upload(path.join(folder, 'more'), 'inside');
      await window.treeItem(/more.*220 files/).waitFor();
      await until({ what: 'the command of the archive', probe: () => commandsOf(sshd) > before });
      assert.equal(fs.readdirSync(path.join(site, 'more/inside')).length, 220);
      assert.deepEqual(fs.readdirSync(path.join(site, 'more')), ['inside']);
      assert.equal(fs.readFileSync(path.join(site, 'more/inside/7'), 'utf8'), 'small 7');
    });

    it('starts without a complaint of the extension host', async () => {
      assert.deepEqual(await hostComplaints(window), []);
    });

    /** The same steps are shown once. */
    async function picture(...what: Parameters<Workbench['screenshot']>): Promise<void> {
      if (editorLine === 'newest') await window.screenshot(...what);
    }

    async function upload(what: string, shows: string): Promise<void> {
      await window.runCommand('Termind: Upload…');
      await window.quickPickRow('lab').first().click();
      await window.page.locator('.quick-input-widget', { hasText: 'The folder on lab' }).waitFor();
      await window.answerInput(site);
      await window.quickPickRow('Folders…').click();
      await window.chooseFolder(what, { button: 'Upload', shows });
    }

    /** Presses a button on the row of a transfer, which is there once its state has it, and goes when it was pressed. */
    async function actOn(name: string, label: string): Promise<void> {
      const row = window.treeItem(name);
      const action = row.locator(`.actions a[aria-label^="${label}"]`);
      const isThere = async (): Promise<boolean> => {
        await row.hover();
        return action.isVisible();
      };
      await until({ what: `"${label}"`, probe: isThere });
      await press(action, async () => !(await isThere()));
    }

    function manySmall(name: string): void {
      const inside = path.join(folder, name, 'inside');
      fs.mkdirSync(inside, { recursive: true });
      for (let n = 0; n < 220; n++) fs.writeFileSync(path.join(inside, String(n)), `small ${String(n)}`);
    }

    /** A folder with a file that takes its time; the editor's dialog shows folders only. */
    function large(name: string): Buffer {
      const bytes = randomBytes(16 * mebibyte);
      const inside = path.join(folder, name, 'inside');
      fs.mkdirSync(inside, { recursive: true });
      fs.writeFileSync(path.join(inside, 'large.bin'), bytes);
      return bytes;
    }
  });

const mebibyte = 1024 * 1024;

/** How many commands the server has run so far. */
function commandsOf(server: Sshd): number {
  return server.log().split('Starting session: command').length - 1;
}

function contents(root: string): readonly string[] {
  return ['index.html', 'css/main.css'].map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
}
