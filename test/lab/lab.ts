import { mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { canCreateAccounts, createAccount, type AccountRequest, type LabAccount } from './account.ts';
import { prepareAppFolder } from './appFolder.ts';
import { startScriptedModel, type ScriptedModel } from './scriptedModel.ts';
import { startSshd, type Sshd } from './sshd.ts';
import { labBrain } from './story/labBrain.ts';

export interface LabOptions {
  /**
   * Folder for keys, configuration and, where no account of its own is made, the home; it outlives the lab, which
   * has the same keys there again. A temporary one when absent.
   */
  readonly folder?: string;
  /**
   * The account that logs in, which the lab then owns. As root a dedicated one is made when absent; an ordinary user
   * logs in as themselves.
   */
  readonly account?: AccountRequest;
  /** Free ones when absent. */
  readonly ports?: { readonly sshd?: number; readonly model?: number };
  /** Wait in front of each piece that the model streams; none when absent. */
  readonly pauseMs?: number;
}

/** One host called `lab` and one model. Whoever starts it stops it. */
export interface Lab {
  readonly alias: 'lab';
  readonly sshd: Sshd;
  readonly model: ScriptedModel;
  /** OpenSSH client configuration that names the host. Its known_hosts file begins empty. */
  readonly configFile: string;
  readonly knownHostsFile: string;
  /** Home of the account as its sessions see it, and the application that fills the disk below it. */
  readonly home: string;
  readonly appFolder: string;
  stop(): Promise<void>;
}

/** Starts the host and the model that `npm start` shows. */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const isKept = options.folder !== undefined;
  const folder = options.folder ?? mkdtempSync(path.join(os.tmpdir(), 'termind-lab-'));
  const running: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    for (const one of running.splice(0).reverse()) await one.stop();
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  };
  try {
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    const account = canCreateAccounts() ? await createAccount(options.account) : undefined;
    if (account !== undefined) running.push({ stop: async () => account.dispose() });
    const home = account?.home ?? path.join(folder, 'home');
    const appFolder = await prepareHome(home, account);
    const sshd = await startSshd({
      folder: path.join(folder, 'sshd'),
      hostKeys: ['ed25519', 'rsa'],
      environment: { HOME: home },
      ...(account === undefined ? {} : { account }),
      ...(options.ports?.sshd === undefined ? {} : { port: options.ports.sshd }),
    });
    running.push(sshd);
    const model = await startScriptedModel({
      brain: labBrain({ hostLabel: 'lab', appFolder }),
      ...(options.ports?.model === undefined ? {} : { port: options.ports.model }),
      ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
    });
    running.push(model);
    const files = await writeClientFiles(folder, sshd);
    return { alias: 'lab', sshd, model, home, appFolder, ...files, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** User settings with which the extension finds the host and the model. */
export function labSettings({ model, configFile }: Lab): Record<string, unknown> {
  return {
    'termind.ssh.configFile': configFile,
    'termind.providers': [
      {
        id: 'lab',
        label: 'Lab model (scripted)',
        kind: 'openai-chat',
        baseUrl: model.baseUrl,
        model: 'lab-1',
        contextWindow: 128_000,
      },
    ],
  };
}

async function prepareHome(home: string, account: LabAccount | undefined): Promise<string> {
  const appFolder = path.join(home, 'app');
  await prepareAppFolder(appFolder);
  // The name of the machine would be wrong in a prompt that stands for another one.
  await fs.writeFile(path.join(home, '.profile'), "PS1='\\u@lab:\\w\\$ '\n");
  if (account !== undefined) await chownAll(home, account);
  return appFolder;
}

/** An account that was made anew has another id than the one that left these files. */
async function chownAll(folder: string, { uid, gid }: LabAccount): Promise<void> {
  await fs.chown(folder, uid, gid);
  for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true }))
    await fs.lchown(path.join(entry.parentPath, entry.name), uid, gid);
}

async function writeClientFiles(
  folder: string,
  sshd: Sshd,
): Promise<Pick<Lab, 'configFile' | 'knownHostsFile'>> {
  const configFile = path.join(folder, 'ssh_config');
  const knownHostsFile = path.join(folder, 'known_hosts');
  await fs.appendFile(knownHostsFile, '');
  const trust = [`  UserKnownHostsFile "${knownHostsFile}"`, '  GlobalKnownHostsFile /dev/null', ''];
  await fs.writeFile(configFile, sshd.configText('lab') + trust.join('\n'));
  return { configFile, knownHostsFile };
}
