import type { CutBody, LineCursor } from './lineCursor.ts';

/** What may still be taken. */
interface Room {
  lines: number;
  bytes: number;
}

/** Both ends of what is kept. `front` and `back` never overlap; together they may be the whole body. */
export interface Kept {
  readonly front: LineCursor;
  readonly back: LineCursor;
}

export interface WalkLimits {
  readonly lines: number;
  readonly bytes: number;
}

/**
 * Takes whole lines until the first that does not fit; nothing is skipped and nothing is split. `middle` gives the head half of
 * both limits, the tail all that the head left, and the head what the tail left. Source: agent runtime contract, section 8.5.
 */
export function walk(body: CutBody, strategy: 'head' | 'tail' | 'middle', limits: WalkLimits): Kept {
  const kept: Kept = { front: body.front(), back: body.back() };
  const room: Room = { ...limits };
  const left = (): number => body.lines - kept.front.taken - kept.back.taken;
  switch (strategy) {
    case 'head':
      takeWhileFits(kept.front, room, left);
      return kept;
    case 'tail':
      takeWhileFits(kept.back, room, left);
      return kept;
    case 'middle': {
      const half: Room = { lines: Math.floor(limits.lines / 2), bytes: Math.floor(limits.bytes / 2) };
      const { lines, bytes } = half;
      takeWhileFits(kept.front, half, left);
      room.lines -= lines - half.lines;
      room.bytes -= bytes - half.bytes;
      takeWhileFits(kept.back, room, left);
      takeWhileFits(kept.front, room, left);
      return kept;
    }
  }
}

function takeWhileFits(cursor: LineCursor, room: Room, left: () => number): void {
  while (left() > 0 && room.lines > 0) {
    const cost = cursor.cost(room.bytes);
    if (cost > room.bytes) return;
    cursor.take();
    room.lines--;
    room.bytes -= cost;
  }
}
