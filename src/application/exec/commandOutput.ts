import type { CallCapture, Disposable, OutputSource, ToolBody } from '../../agentkit/index.ts';

/** Collects the output of one command; `OutputCollector` of agentkit does. Source: agent runtime contract, section 9. */
export interface CommandOutput extends Disposable {
  /** From now on everything also goes to one file of this capture, until the next `body()`. */
  captureTo(capture: CallCapture): void;
  /** Raw bytes in arrival order. A promise = hold the source back until it resolves. */
  push(bytes: Uint8Array, source: OutputSource): Promise<void> | undefined;
  /** Nothing follows. */
  end(): void;
  /** The last lines so far, for a live card; ends nothing. */
  tail(): string;
  /** What is there so far, as the body of a result. What an attached capture holds ends here. */
  body(): ToolBody;
}
