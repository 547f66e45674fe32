import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { quietSettings } from '../../test/e2e/harness/editorSettings.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** Quiet and offline like a test, except where that would be in a person's way. */
const firstSettings: Settings = {
  ...quietSettings,
  'terminal.integrated.gpuAcceleration': 'auto',
  'workbench.editor.useModal': 'some',
};

/**
 * The settings of a profile as its person left them, or those of a first start, with `wanted` on top. A file that is
 * no plain JSON is set aside.
 */
export async function mergedSettings(userData: string, wanted: Settings): Promise<Settings> {
  const file = settingsFile(userData);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { ...firstSettings, ...wanted };
  try {
    return { ...z.record(z.string(), z.unknown()).parse(JSON.parse(text)), ...wanted };
  } catch {
    await rename(file, `${file}.kept`);
    console.error(`The settings of the profile could not be read; they are kept as ${file}.kept.`);
    return { ...firstSettings, ...wanted };
  }
}

export async function writeSettings(userData: string, settings: Settings): Promise<void> {
  await mkdir(path.dirname(settingsFile(userData)), { recursive: true });
  await writeFile(settingsFile(userData), JSON.stringify(settings, undefined, 2));
}

function settingsFile(userData: string): string {
  return path.join(userData, 'User/settings.json');
}
