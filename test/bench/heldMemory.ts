import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collectGarbage: (() => void) | undefined;

/** Bytes that this process holds, buffers included and garbage left out. */
export function heldMemory(): number {
  if (collectGarbage === undefined) {
    setFlagsFromString('--expose-gc');
    collectGarbage = runInNewContext('gc') as () => void;
  }
  // The first collection leaves dead buffers to a thread, and they count as external memory until the second one waits for it.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
