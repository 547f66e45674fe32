import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { canCreateAccounts } from '../lab/account.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { skipBecause } from '../skip.ts';
import { editorLines } from './harness/editorLines.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startLabEditor, type LabEditor } from './harness/labEditor.ts';
import { press } from './harness/press.ts';
import { until } from './harness/until.ts';
import type { Workbench } from './harness/workbench.ts';

/** From the Files view to a file of a real server, into the editor and back. */
for (const line of editorLines)
  describe(`files of a host in the packaged extension on the ${line} editor line`, () => {
    let sshd: Sshd | undefined;
    let editor: LabEditor | undefined;
    let window: Workbench;

    before(async function () {
      if (!canCreateAccounts()) skipBecause(this, 'it needs a home of its own');
      sshd = await startSshd({ account: {} });
      const { uid, gid } = sshd.account;
      home = sshd.account.home;
      const own = (name: string, text: string): void => {
        fs.writeFileSync(path.join(home, name), text);
        fs.chownSync(path.join(home, name), uid, gid);
      };
      fs.mkdirSync(path.join(home, 'conf'));
      fs.chownSync(path.join(home, 'conf'), uid, gid);
      own('conf/site.conf', 'listen 80;\n');
      own('notes.txt', 'first\n');
      own('.hidden', '');
      fs.symlinkSync('conf', path.join(home, 'current'));
      fs.symlinkSync('gone', path.join(home, 'broken'));
      fs.writeFileSync(Buffer.concat([Buffer.from(`${home}/`), Buffer.from('caf\xe9', 'latin1')]), 'x');
      editor = await startLabEditor(sshd, { line, viewport: { width: 1280, height: 1_100 } });
      window = editor.window;
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await window.screenshot(`files-failed-${line}`, ['dark']);
    });
    after(async () => {
      await editor?.stop();
      await sshd?.stop();
    });

    let home: string;

    const onHost = (name: string): string => fs.readFileSync(path.join(home, name), 'utf8');

    it('shows the files of a host, odd names and links included', async () => {
      await window.openActivity('Termind');
      await window.pickFromContextMenu(window.treeItem('@127.0.0.1'), 'Browse Files');
      const home = window.treeItem('where you sign in');
      await home.waitFor();
      for (const other of ['Hosts', 'Forwards', 'Transfers']) await collapse(other);
      await home.click();
      for (const name of ['conf', 'current', 'notes.txt', '.hidden', 'broken', 'caf\\xE9'])
        await window.treeItem(name).first().waitFor();
      await window.treeItem('notes.txt').hover();
      await picture('files-1-tree', ['dark', 'light', 'highContrast']);
    });

    it('opens a file, and what is saved is on the host', async () => {
      await window.treeItem('notes.txt').click();
      await until({ what: 'the file', probe: async () => (await window.editorText()).includes('first') });
      await typeAtEnd('second');
      await save();
      await until({ what: 'the saved file', probe: () => onHost('notes.txt') === 'first\nsecond' });
      await picture('files-2-saved');
    });

    it('asks before it saves over another content, and shows both where they cannot be merged', async () => {
      const noUnicode = Buffer.from('FIRS\xe9\nsecond', 'latin1');
      changedByOthers(noUnicode);
      await typeAtEnd(', third');
      await save();
      const question = window.notification('was changed on lab after you opened it');
      await question.waitFor();
      await picture('files-3-conflict');
      assert.ok(fs.readFileSync(path.join(home, 'notes.txt')).equals(noUnicode));
      const theirs = window.page.locator('.monaco-diff-editor .original .view-line', { hasText: 'FIRS' });
      await press(question.getByRole('button', { name: 'Compare' }), () => theirs.isVisible());
      await picture('files-4-compare');
      await press(
        question.getByRole('button', { name: 'Overwrite' }),
        () => onHost('notes.txt') === 'first\nsecond, third',
      );
    });

    it('merges what others have changed meanwhile', async () => {
      await window.treeItem('notes.txt').click();
      await window.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
      changedByOthers(Buffer.from('FIRST\nsecond, third'));
      await typeAtEnd('\n\nfourth');
      await save();
      const question = window.notification('was changed on lab after you opened it');
      await question.waitFor();
      await picture('files-8-mergeQuestion');
      const result = window.page.locator('.merge-editor .result .view-line', { hasText: 'fourth' });
      await press(question.getByRole('button', { name: 'Merge…' }), () => result.isVisible());
      await picture('files-9-merge', ['dark', 'light', 'highContrast']);
      assert.equal(onHost('notes.txt'), 'FIRST\nsecond, third');
      await result.click();
      // One that comes while the editor tries to save by itself is taken for the same save.
      await until({
        what: 'the merged file',
        probe: async () => {
          await save();
          return onHost('notes.txt') === 'FIRST\nsecond, third\n\nfourth';
        },
      });
      await picture('files-10-merged');
    });

    it('makes and deletes a file by the tree', async () => {
      await window.pickFromContextMenu(window.treeItem('where you sign in'), 'New File');
      await window.answerInput('made.txt');
      await window.treeItem('made.txt').waitFor();
      assert.equal(onHost('made.txt'), '');
      await window.pickFromContextMenu(window.treeItem('made.txt'), 'Delete');
      await window.dialog('Delete').waitFor();
      await picture('files-5-delete');
      await window.answerDialog('Delete', 'Move to Trash');
      await window.treeItem('made.txt').waitFor({ state: 'detached' });
      assert.equal(fs.existsSync(path.join(home, 'made.txt')), false);
    });

    it('says what the server tells of a file', async () => {
      await window.pickFromContextMenu(window.treeItem('notes.txt'), 'Properties');
      await window.dialog('Permissions').waitFor();
      await picture('files-6-properties');
      await window.page.keyboard.press('Escape');
      await window.dialog('Permissions').waitFor({ state: 'detached' });
    });

    it('is usable in a narrow window', async () => {
      await window.page.setViewportSize({ width: 640, height: 1_100 });
      await window.treeItem('notes.txt').waitFor();
      await picture('files-7-narrow');
      await window.page.setViewportSize({ width: 1280, height: 1_100 });
    });

    it('starts without a complaint of the extension host', async () => {
      assert.deepEqual(await hostComplaints(window), []);
    });

    /** Somebody else writes as many bytes, within the same second. */
    function changedByOthers(content: Buffer): void {
      const file = path.join(home, 'notes.txt');
      const { atime, mtime } = fs.statSync(file);
      fs.writeFileSync(file, content);
      fs.utimesSync(file, atime, mtime);
    }

    /** The same steps are shown once. */
    async function picture(...what: Parameters<Workbench['screenshot']>): Promise<void> {
      if (line === 'newest') await window.screenshot(...what);
    }

    /** Types behind the last character of the active editor. */
    async function typeAtEnd(text: string): Promise<void> {
      await window.page.locator('.editor-group-container.active .monaco-editor .view-line').last().click();
      await window.page.keyboard.press('Control+End');
      await window.page.keyboard.type(text);
      await until({ what: 'the typed text', probe: async () => (await window.editorText()).includes(text) });
    }

    async function collapse(pane: string): Promise<void> {
      const header = window.page.locator('.sidebar .pane-header', { hasText: pane });
      await press(header, async () => (await header.getAttribute('aria-expanded')) === 'false');
    }

    async function save(): Promise<void> {
      await window.page.keyboard.press('Control+s');
    }
  });
