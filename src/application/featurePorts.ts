import type { Disposable, Redactor } from '../agentkit/index.ts';
import type { Fault } from '../domain/fault.ts';
import type { LogPort } from './ports/prompts.ts';
import type { Services } from './services.ts';

/** What every feature is registered with, besides the editor's own context. */
export interface FeaturePorts {
  readonly log: LogPort;
  /** What leaves a feature for a page, the clipboard, a file or a document passes it last. Source: agent runtime contract, section 14. */
  readonly redactor: Pick<Redactor, 'redact' | 'redactJson'>;
  /** Loads the runtime at first use; the same promise every time. Rejects only when the runtime itself cannot be loaded. */
  runtime(): Promise<Services>;
  /** One localised sentence with cause and next step, for a person; redacted, like every description. */
  describeError(error: unknown): string;
  describeFault(fault: Fault): string;
  /**
   * Registers a command of ours. Arguments come from anywhere and are `unknown` until the handler has looked at them. A rejection
   * is shown as one sentence and logged; it never reaches the editor as a stack.
   */
  registerCommand(id: string, handler: (...args: readonly unknown[]) => Promise<unknown>): Disposable;
}
