import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { onProcessEnd } from '../../test/lab/cleanUp.ts';
import { descendantsOf, signalEach } from '../../test/lab/processes.ts';
import { run } from '../../test/lab/run.ts';
import { SetupFault } from '../setup/setupFault.mjs';
import { findProgram } from '../setup/systemPackages.ts';
import type { EditorRequest, OpenEditor } from './openEditor.ts';
import { mergedSettings, writeSettings } from './profileSettings.ts';

/**
 * The desktop editor, where it can show a window: not without a display, and not where `code` only talks to an editor
 * on another machine.
 */
export function findDesktopEditor(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const isRemote = env['VSCODE_IPC_HOOK_CLI'] !== undefined || env['WSL_DISTRO_NAME'] !== undefined;
  const hasDisplay =
    process.platform !== 'linux' || env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  return isRemote || !hasDisplay ? undefined : findProgram('code');
}

/** Opens the desktop editor on a profile of its own. Rejects with a SetupFault when it refuses the extension. */
export async function openDesktopEditor(program: string, request: EditorRequest): Promise<OpenEditor> {
  const userData = path.join(request.profile, 'desktop-data');
  await writeSettings(userData, await mergedSettings(userData, request.settings));
  const profile = [
    ...['--user-data-dir', userData, '--extensions-dir', path.join(request.profile, 'desktop-extensions')],
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  const env = ownEnvironment();
  const installing = [...profile, '--install-extension', request.vsix, '--force'];
  const installed = await run(program, installing, { env, deadlineMs: 120_000 });
  if (installed.status !== 0) {
    const words = installed.stderr.trim().split('\n').at(-1) ?? '';
    throw new SetupFault(
      `a VS Code that takes the extension; ${program} said: ${words}`,
      'update VS Code, or open the editor in the browser: npm start -- --port 8443',
    );
  }
  // The command waits for its window, so that its end is the person's end.
  const child = spawn(program, [...profile, '--new-window', '--wait', '--skip-release-notes'], {
    env,
    stdio: 'ignore',
  });
  const closed = once(child, 'close').then(() => undefined);
  const end = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    signalEach([...descendantsOf(child.pid), child.pid], 'SIGTERM');
  };
  const takeBack = onProcessEnd(end);
  return {
    place: 'in a window of VS Code with a profile of its own',
    closed,
    stop: async () => {
      end();
      await closed;
      takeBack();
    },
  };
}

/** Without what an editor around us tells its own children. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const isForeign = (name: string): boolean => /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|npm_)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}
