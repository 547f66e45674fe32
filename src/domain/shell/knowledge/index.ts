import type { ProgramRule } from '../programRule.ts';
import { archives } from './archives.ts';
import { awk } from './awk.ts';
import { certificates } from './certificates.ts';
import { clusters } from './clusters.ts';
import { databases } from './databases.ts';
import { data } from './data.ts';
import { firewall } from './firewall.ts';
import { glances } from './glances.ts';
import { hardware } from './hardware.ts';
import { probes } from './probes.ts';
import { processes } from './processes.ts';
import { sed } from './sed.ts';
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
  [
    files,
    find,
    text,
    shellWords,
    system,
    storage,
    network,
    services,
    packages,
    containers,
    archives,
    awk,
    certificates,
    clusters,
    databases,
    data,
    firewall,
    glances,
    hardware,
    probes,
    processes,
    sed,
  ]
    .flat()
    .flatMap((program) => program.names.map((name) => [name, program] as const)),
);
