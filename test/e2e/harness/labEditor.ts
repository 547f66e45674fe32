import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureEditor, type EditorLine } from '../../../scripts/setup/editor.ts';
import { configTextOf, knownHostsOf } from '../../lab/labServer.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { launchBrowser } from './browser.ts';
import { startServer } from './server.ts';
import { packagedExtension } from './vsix.ts';
import { Workbench, type OpenOptions } from './workbench.ts';

export interface LabEditorOptions extends Pick<OpenOptions, 'viewport'> {
  /** Where the server is reached, when a relay stands in front of it. */
  readonly port?: number;
  /** Which editor; the newest when absent. */
  readonly line?: EditorLine;
}

/** A window of an editor with the packaged extension. Whoever starts it stops it. */
export interface LabEditor {
  readonly window: Workbench;
  stop(): Promise<void>;
}

/** Starts an editor whose OpenSSH configuration calls `sshd` lab and trusts it. */
export async function startLabEditor(sshd: Sshd, options: LabEditorOptions = {}): Promise<LabEditor> {
  const { host, account, folder: keys, key, hostKeys } = sshd;
  const lab = { host, account, folder: keys, key, hostKeys, port: options.port ?? sshd.port };
  const folder = mkdtempSync(path.join(tmpdir(), 'termind-lab-editor-'));
  const known = path.join(folder, 'known');
  writeFileSync(known, knownHostsOf(lab));
  const config = path.join(folder, 'config');
  const trust = [`  UserKnownHostsFile ${known}`, '  GlobalKnownHostsFile none', ''];
  writeFileSync(config, [configTextOf(lab, 'lab'), ...trust].join('\n'));
  const server = await startServer({
    editor: await ensureEditor(options.line ?? 'newest'),
    vsix: [packagedExtension()],
    settings: { 'termind.ssh.configFile': config },
  });
  const browser = await launchBrowser();
  const { viewport } = options;
  const window = await Workbench.open(browser, server, viewport === undefined ? {} : { viewport });
  return {
    window,
    async stop() {
      await browser.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
