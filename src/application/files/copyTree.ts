import { neverAborted } from '../../agentkit/index.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import { permissionBits } from '../../domain/files/permissions.ts';
import { partName } from '../../domain/transfer/partName.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { sendAtOnce } from './documents/sendAtOnce.ts';
import { besideTarget } from './save/besideTarget.ts';
import { copyRemote } from './save/remoteCopy.ts';
import type { TreeEntry } from './walkTree.ts';

/** While a directory is filled. */
const fillingMode = 0o700;
/** Files up to here are copied several at a time. */
const mostSmallBytes = 256 * 1_024;

export interface CopyPlan {
  /** A directory stands in front of what it holds. */
  readonly entries: readonly (TreeEntry & { readonly to: RemotePath })[];
  /** A file or link stands where the only entry goes, and is replaced. */
  readonly overwrites: boolean;
}

type Planned = CopyPlan['entries'][number];

/**
 * Copies files, links (as links) and directories within one host, with their permissions. Each file appears whole or not at all. Says
 * whether the server copied the bytes itself. Rejects as `RemoteFiles`; what was copied before stays, and `onCopied` has counted it.
 */
export async function copyTree(
  files: RemoteFiles,
  { plan, onCopied }: { readonly plan: CopyPlan; readonly onCopied: () => void },
  signal: AbortSignal,
): Promise<'server' | 'stream'> {
  const { entries, overwrites } = plan;
  const ofKind = (kind: TreeEntry['kind']): readonly Planned[] =>
    entries.filter((entry) => entry.kind === kind);
  const directories = ofKind('directory');
  for (const { to } of directories) await files.mkdir(to, fillingMode, signal);
  const isSmall = ({ attributes }: Planned): boolean => (attributes.size ?? Infinity) <= mostSmallBytes;
  const ways = new Set<'server' | 'stream'>();
  const copy = async (entry: Planned): Promise<void> => {
    ways.add(await copyFile(files, { entry, replace: overwrites }, signal));
    onCopied();
  };
  await sendAtOnce(ofKind('file').filter(isSmall), copy);
  for (const entry of ofKind('file')) if (!isSmall(entry)) await copy(entry);
  await sendAtOnce(ofKind('symlink'), async (entry) => {
    await copyLink(files, { entry, replace: overwrites }, signal);
    onCopied();
  });
  for (const { to, attributes } of directories.toReversed()) {
    await keepMode(files, { to, attributes }, signal);
    onCopied();
  }
  return ways.has('stream') ? 'stream' : 'server';
}

interface CopyStep {
  readonly entry: Planned;
  readonly replace: boolean;
}

async function copyFile(
  files: RemoteFiles,
  { entry, replace }: CopyStep,
  signal: AbortSignal,
): Promise<'server' | 'stream'> {
  const { path: from, to, attributes } = entry;
  const part = besideTarget(to, partName);
  return orRemoved(files, part, async () => {
    const way = await copyRemote(files, { from, to: part }, signal);
    await keepMode(files, { to: part, attributes }, signal);
    await files.rename({ from: part, to, replace }, signal);
    return way;
  });
}

async function copyLink(
  files: RemoteFiles,
  { entry, replace }: CopyStep,
  signal: AbortSignal,
): Promise<void> {
  const { path: from, to } = entry;
  const leadsTo = await files.readlink(from, signal);
  if (!replace) return files.symlink({ at: to, to: leadsTo }, signal);
  const part = besideTarget(to, partName);
  await orRemoved(files, part, async () => {
    await files.symlink({ at: part, to: leadsTo }, signal);
    await files.rename({ from: part, to, replace }, signal);
  });
}

/** Takes what was made beside the target away again when it could not take its place. */
async function orRemoved<T>(files: RemoteFiles, part: RemotePath, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!files.isEnded) await files.remove(part, neverAborted).catch(() => {}); // it may not be there
    throw error;
  }
}

async function keepMode(
  files: RemoteFiles,
  { to, attributes: { mode } }: Pick<Planned, 'to' | 'attributes'>,
  signal: AbortSignal,
): Promise<void> {
  if (mode !== undefined) await files.setstat(to, { mode: mode & permissionBits }, signal);
}
