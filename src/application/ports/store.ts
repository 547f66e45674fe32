import type { Event } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';

/** Whether the store can be read and written; every view shows it. Source: vscode.md 4 and 9. */
export type StoreState =
  | { readonly k: 'ready' }
  | { readonly k: 'readOnly'; readonly fault: Fault }
  | { readonly k: 'unavailable'; readonly fault: Fault }
  /** `node:sqlite` is missing: a memory store with a permanent notice. */
  | { readonly k: 'memory' };

export interface StoreStatePort {
  state(): StoreState;
  readonly onDidChangeState: Event<StoreState>;
  /** Rows of this area changed, here or in another window; within 1 s. */
  readonly onDidChangeRows: Event<'hosts' | 'knownHosts' | 'conversations'>;
}
