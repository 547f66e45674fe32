import type { ProgramFile } from '../../application/ports/hosts.ts';
import type { ConfigTree } from './configTree.ts';

/** The files of a configuration that hold `Match exec`, in the order in which they are read. */
export function programFiles(tree: ConfigTree): readonly ProgramFile[] {
  const commands = new Map<string, { readonly line: number; readonly command: string }[]>();
  for (const { at, command } of tree.config.programs) {
    const list = commands.get(at.path) ?? [];
    if (!list.some((known) => known.line === at.line && known.command === command))
      list.push({ line: at.line, command });
    commands.set(at.path, list);
  }
  return [...commands].map(([path, list]) => ({
    path,
    contentHash: tree.hashes.get(path) ?? '',
    commands: list,
  }));
}
