import { spawn } from 'node:child_process';
import path from 'node:path';
import { startServer } from '../../test/e2e/harness/server.ts';
import type { Editor } from '../setup/editor.ts';
import { findProgram } from '../setup/systemPackages.ts';
import type { EditorRequest, OpenEditor } from './openEditor.ts';
import { mergedSettings } from './profileSettings.ts';

export interface BrowserEditorRequest extends EditorRequest {
  readonly editor: Editor;
  readonly port: number;
  /** Whether the address is also opened in the default browser. */
  readonly isShown: boolean;
}

/** Starts the editor server on a profile of its own and shows its address in the default browser, where there is one. */
export async function openBrowserEditor(request: BrowserEditorRequest): Promise<OpenEditor> {
  const { editor, port, profile, vsix } = request;
  const agent = process.env['SSH_AUTH_SOCK'];
  const server = await startServer({
    editor,
    port,
    profile,
    vsix: [vsix],
    settings: await mergedSettings(path.join(profile, 'user-data'), request.settings),
    ...(agent === undefined ? {} : { env: { SSH_AUTH_SOCK: agent } }),
  });
  const address = server.windowUrl();
  if (request.isShown) showInBrowser(address);
  return { place: `at ${address}`, closed: new Promise(() => undefined), stop: () => server.stop() };
}

/** A browser that cannot be opened is no fault: the address is printed as well. */
function showInBrowser(address: string): void {
  const hasDisplay = process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined;
  const opener =
    process.platform === 'darwin'
      ? 'open'
      : hasDisplay && process.platform === 'linux'
        ? 'xdg-open'
        : undefined;
  const program = opener === undefined ? undefined : findProgram(opener);
  if (program === undefined) return;
  const child = spawn(program, [address], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}
