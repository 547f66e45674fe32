import type { ForwardLeasePort } from '../../../application/ports/forwards.ts';

/** Without a file there is no other window to share with. */
export class MemoryForwardLeases implements ForwardLeasePort {
  async take(): Promise<boolean> {
    return true;
  }

  async release(): Promise<void> {}
}
