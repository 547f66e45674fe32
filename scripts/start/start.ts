import { parseArgs } from 'node:util';
import { stopOnSignal } from '../../test/lab/cleanUp.ts';
import { labSettings, startLab, type Lab } from '../../test/lab/lab.ts';
import { buildPackage } from '../build/package.ts';
import { ensureEditor } from '../setup/editor.ts';
import { SetupFault } from '../setup/setupFault.mjs';
import { ensureSystem } from '../setup/systemPackages.ts';
import { openBrowserEditor } from './browserEditor.ts';
import { findDesktopEditor, openDesktopEditor } from './desktopEditor.ts';
import type { OpenEditor } from './openEditor.ts';
import { openStartFolder, type StartFolder } from './startFolder.ts';

interface Flags {
  readonly isFresh: boolean;
  readonly isShown: boolean;
  /** Given: the editor opens in the browser, on this port. */
  readonly port: number | undefined;
  readonly pauseMs: number;
}

/**
 * Builds the extension, starts the lab and opens an editor in which both are configured; lasts until Ctrl-C or until
 * the person closes the desktop editor, then ends all it has started. Lab and profile stay, so that the next start
 * goes on where this one ended. Rejects with a SetupFault that names cause and next step.
 */
export async function start(args: readonly string[]): Promise<void> {
  const flags = parseFlags(args);
  const desktop = flags.port === undefined ? findDesktopEditor() : undefined;
  await ensureSystem(['ssh']);
  const server = desktop === undefined ? await ensureEditor('newest') : undefined;

  const running: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of running.splice(0).reverse()) await one();
  };
  stopOnSignal(stop);
  try {
    const folder = await openStartFolder({
      isFresh: flags.isFresh,
      ...(flags.port === undefined ? {} : { editorPort: flags.port }),
    });
    running.push(() => folder.release());
    console.error('Building the extension …');
    const vsix = await buildPackage();
    const lab = await orFault(startKeptLab(folder, flags.pauseMs));
    running.push(() => lab.stop());
    const request = { profile: folder.profile, vsix, settings: labSettings(lab) };
    const opening =
      server === undefined
        ? openDesktopEditor(desktop ?? 'code', request)
        : openBrowserEditor({
            ...request,
            editor: server,
            port: folder.state.ports.editor,
            isShown: flags.isShown,
          });
    const editor = await orFault(opening);
    running.push(() => editor.stop());
    console.log(welcome(editor, lab));
    await editor.closed;
  } finally {
    await stop();
  }
}

function startKeptLab({ lab, state }: StartFolder, pauseMs: number): Promise<Lab> {
  const { ports, account } = state;
  return startLab({ folder: lab, ports, pauseMs, ...(account === undefined ? {} : { account }) });
}

function parseFlags(args: readonly string[]): Flags {
  const options = {
    fresh: { type: 'boolean', default: false },
    'no-open': { type: 'boolean', default: false },
    port: { type: 'string' },
    slow: { type: 'string', default: '60' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    return {
      isFresh: values.fresh,
      isShown: !values['no-open'],
      port: values.port === undefined ? undefined : wholeNumber('--port', values.port, [1, 65_535]),
      pauseMs: wholeNumber('--slow', values.slow, [0, 60_000]),
    };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    throw new SetupFault(
      words,
      'npm start -- [--fresh] [--no-open] [--port <1-65535>] [--slow <milliseconds>]',
    );
  }
}

function wholeNumber(flag: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`a number from ${least} to ${most} behind ${flag}; ${text} is none`);
}

/** What the lab and the editor say when they do not come up is for the person, and beginning anew helps with both. */
async function orFault<T>(task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof SetupFault || !(error instanceof Error)) throw error;
    throw new SetupFault(error.message, 'npm start -- --fresh, which forgets the lab and its editor profile');
  }
}

function welcome({ place }: OpenEditor, { sshd }: Lab): string {
  return `
Termind is open ${place}.

 1. Termind in the activity bar shows the host lab. Its host key is
    ${sshd.hostKeys[0]?.fingerprint ?? ''}: accept it once.
 2. Open a terminal on lab: type, run top, leave with exit.
 3. Open the assistant and ask: Why is the disk of lab filling up?
 4. It looks without asking, and asks before it removes something: deny one, approve one.
 5. Ask it to watch the log of lab, approve that, close the window meanwhile, and open it again.

Ctrl-C ends the lab and the editor. npm start goes on with the same lab and conversations;
npm start -- --fresh begins anew.`;
}
