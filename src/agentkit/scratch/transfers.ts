import { AgentError } from '../agentError.ts';
import type { HeldScratch } from './heldScratch.ts';
import { linkRefused } from './ioError.ts';
import { checkFileSize, type ScratchUsage } from './limits.ts';
import { isWithin, scratchPath, type ScratchPath } from './scratchPath.ts';
import { visitTree, type ScratchKind } from './scratchTree.ts';

export interface Transfer {
  readonly from: ScratchPath;
  readonly to: ScratchPath;
  readonly overwrite: boolean;
}

/** What a transfer is about, known before anything is written. */
interface CheckedTransfer {
  readonly kind: ScratchKind;
  readonly files: number;
  readonly bytes: number;
  readonly overwritten: boolean;
  /** Of the file at the target. */
  readonly replacedBytes: number;
}

export interface TransferDone {
  readonly kind: ScratchKind;
  readonly files: number;
  readonly bytes: number;
  readonly overwritten: boolean;
  readonly usage: ScratchUsage;
}

export async function copyWithin(held: HeldScratch, transfer: Transfer): Promise<TransferDone> {
  const checked = await checkTransfer(held, transfer);
  const { kind, files, bytes, overwritten, replacedBytes } = checked;
  const change = { bytes: bytes - replacedBytes, files: files - (overwritten ? 1 : 0) };
  const usage = await held.commit(change, async () => {
    const staged =
      kind === 'file'
        ? await held.staging.file(await held.read(transfer.from))
        : await held.staging.tree(await held.folder(transfer.from));
    const { folder, name } = await held.parent(transfer.to, { create: true });
    await held.place(staged, folder, name);
  });
  return { kind, files, bytes, overwritten, usage };
}

export async function moveWithin(held: HeldScratch, transfer: Transfer): Promise<TransferDone> {
  const { kind, files, bytes, overwritten, replacedBytes } = await checkTransfer(held, transfer);
  const change = { bytes: -replacedBytes, files: overwritten ? -1 : 0 };
  const usage = await held.commit(change, async () => {
    const from = await held.parent(transfer.from);
    const to = await held.parent(transfer.to, { create: true });
    await from.folder.verify();
    await to.folder.place(from.folder.at(from.name), to.name);
  });
  return { kind, files, bytes, overwritten, usage };
}

/** The whole source, before the first write: kinds, paths behind the transfer, sizes; and what stands at the target. */
async function checkTransfer(held: HeldScratch, transfer: Transfer): Promise<CheckedTransfer> {
  const { from, to, overwrite } = transfer;
  const source = await held.entry(from);
  if (from === to) throw new AgentError('scratchPathRefused', { reason: 'source and target are the same' });
  if (isWithin(from, to))
    throw new AgentError('scratchPathRefused', { reason: 'the target lies inside the source' });
  const target = await held.found(to);
  const mayReplace = overwrite && target?.kind === 'file' && source.kind === 'file';
  if (target !== undefined && !mayReplace) throw new AgentError('scratchExists', { path: to });
  const found = { overwritten: target !== undefined, replacedBytes: target?.bytes ?? 0 };
  if (source.kind === 'file') {
    checkFileSize(source.bytes);
    return { kind: 'file', files: 1, bytes: source.bytes, ...found };
  }
  const tree = { files: 0, bytes: 0 };
  await visitTree(await held.folder(from), { path: from, recursive: true }, ({ path, name, kind, bytes }) => {
    if (path === undefined || kind === 'other') throw linkRefused(name);
    scratchPath(to + path.slice(from.length));
    checkFileSize(bytes);
    if (kind === 'file') tree.files++;
    tree.bytes += bytes;
  });
  return { kind: 'directory', ...tree, ...found };
}
