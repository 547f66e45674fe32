import type { DeltaOp, Frame } from '../../../webview/assistant/protocol.ts';
import type { Head } from '../model/assistantModel.ts';

/** The changes that lead from one head to the next. The time a status has waited is no change: the screen counts it itself. */
export function headOps(before: Head | undefined, after: Head): DeltaOp[] {
  const ops: DeltaOp[] = [];
  if (before?.title !== after.title) ops.push({ op: 'title', title: after.title });
  if (!isEqual(before?.banner, after.banner)) ops.push({ op: 'banner', banner: after.banner });
  if (!isEqual(statusKey(before), statusKey(after))) ops.push({ op: 'status', status: after.status });
  if (!isEqual(before?.tasks ?? [], after.tasks)) ops.push({ op: 'tasks', tasks: after.tasks });
  if (!isEqual(before?.pinned, after.pinned)) ops.push({ op: 'pinned', pinned: after.pinned });
  if (!isEqual(before?.composer, after.composer)) ops.push({ op: 'composer', composer: after.composer });
  if (!isEqual(before?.empty, after.empty)) ops.push({ op: 'empty', empty: after.empty });
  return ops;
}

/** The head as a frame has it. */
export function withoutInner(head: Head): Omit<Frame, 'rows' | 'hasOlder' | 'hasNewer'> {
  const { statusSince: _since, ...frame } = head;
  return frame;
}

function statusKey(head: Head | undefined): unknown {
  return head?.status && { text: head.status.text, canStop: head.status.canStop, since: head.statusSince };
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
