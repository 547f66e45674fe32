import { systemClock, type ClockPort } from '../../clock.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool } from '../../tool.ts';
import { scratchDelete } from './scratchDelete.ts';
import { scratchDiff } from './scratchDiff.ts';
import { scratchList } from './scratchList.ts';
import { scratchRead } from './scratchRead.ts';
import { scratchReplace } from './scratchReplace.ts';
import { scratchSearch } from './scratchSearch.ts';
import { scratchCopy, scratchMove } from './scratchTransfer.ts';
import { scratchWrite } from './scratchWrite.ts';

/** The built-in group `scratch`: the tools that need no host and no network. Source: tool contract, section 6. */
export function scratchTools(scratch: ScratchWorkspace, clock: ClockPort = systemClock): readonly Tool[] {
  return [
    scratchList(scratch),
    scratchRead(scratch),
    scratchSearch(scratch, clock),
    scratchWrite(scratch),
    scratchReplace(scratch, clock),
    scratchCopy(scratch),
    scratchMove(scratch),
    scratchDelete(scratch),
    scratchDiff(scratch),
  ];
}
