import type { Disposable, ToolBody } from '../../agentkit/index.ts';

/** Collects the output of one command: bounded in memory, redacted, counted exactly. Source: agent runtime contract, section 9. */
export interface CommandOutput extends Disposable {
  /** Raw bytes in arrival order. A promise = hold the source back until it resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  /** Nothing follows. */
  end(): void;
  /** What is there so far, as the body of a result. */
  body(): ToolBody;
}
