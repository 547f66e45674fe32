import type { Duplex } from 'node:stream';

/**
 * Makes a stream hand on what is written in one go as one piece: the library writes each packet in three, its length, its content and its
 * tag, and each would be a call of the system and, small as they are, a packet on the line. Nothing waits longer than the code that writes.
 */
export function joinWrites(stream: Duplex): void {
  let isJoining = false;
  const join = (): void => {
    if (isJoining || stream.destroyed || stream.writableEnded) return;
    isJoining = true;
    stream.cork();
    process.nextTick(() => {
      isJoining = false;
      stream.uncork();
    });
  };
  const write = stream.write.bind(stream);
  stream.write = new Proxy(write, {
    apply: (target, _self, args: Parameters<typeof write>) => {
      join();
      return target(...args);
    },
  });
}
