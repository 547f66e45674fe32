import type { ProgramRule } from '../programRule.ts';
import { containers } from './containers.ts';
import { files } from './files.ts';
import { find } from './find.ts';
import { network } from './network.ts';
import { packages } from './packages.ts';
import { services } from './services.ts';
import { shellWords } from './shellWords.ts';
import { storage } from './storage.ts';
import { system } from './system.ts';
import { text } from './text.ts';

export { changes } from './changes.ts';

/** Every program that may be proven, by name. */
export const rules: ReadonlyMap<string, ProgramRule> = new Map(
  [files, find, text, shellWords, system, storage, network, services, packages, containers]
    .flat()
    .flatMap((program) => program.names.map((name) => [name, program] as const)),
);
