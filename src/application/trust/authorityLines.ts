import type { ClockPort } from '../../agentkit/index.ts';
import { authorityPort, namesProblem, type AuthorityLine } from '../../domain/trust/authorityLine.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';
import type { KnownHostsStorePort } from '../ports/knownHosts.ts';

export interface AuthorityLinesOptions {
  readonly store: Pick<KnownHostsStorePort, 'rows' | 'change'>;
  readonly clock: ClockPort;
}

/** What names one authority of the store for people. */
export interface ChosenAuthority {
  readonly names: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
}

/**
 * The certificate authorities that a person has Termind trust. Each is an act of a person; no tool of the assistant gets here. Rejects
 * with the faults of the store. Source: ssh.md 3.5.
 */
export class AuthorityLines {
  readonly #options: AuthorityLinesOptions;

  constructor(options: AuthorityLinesOptions) {
    this.#options = options;
  }

  /** Hosts that the names match are accepted by a certificate of this authority from the next connection on. */
  async add({ names, key }: AuthorityLine): Promise<'added' | 'known' | 'bad-names'> {
    if (namesProblem(names) !== undefined) return 'bad-names';
    const { store, clock } = this.#options;
    const keyBase64 = Buffer.from(key.blob).toString('base64');
    const rows = await store.rows();
    if (rows.some((row) => row.port === authorityPort && row.name === names && row.keyBase64 === keyBase64))
      return 'known';
    const row = { name: names, port: authorityPort, keyType: key.keyType, keyBase64 } as const;
    const added = { ...row, origin: 'trusted', addedAt: clock.now(), marker: 'cert-authority' } as const;
    await store.change({ remove: [], add: [added], audit: [] });
    return 'added';
  }

  /** False when the store has no such authority any more. Leaves an audit line. Connections that are open stay open. */
  async forget({ names, fingerprint }: ChosenAuthority): Promise<boolean> {
    const { store, clock } = this.#options;
    const rows = (await store.rows()).filter(
      ({ marker, name, keyBase64 }) =>
        marker === 'cert-authority' &&
        name === names &&
        fingerprintOf(Buffer.from(keyBase64, 'base64')) === fingerprint,
    );
    if (rows.length === 0) return false;
    const at = clock.now();
    await store.change({
      remove: rows,
      add: [],
      audit: rows.map(({ name, port, keyType }) => ({
        at,
        name,
        port,
        oldKey: `@cert-authority ${keyType} ${fingerprint}`,
        actor: 'person',
      })),
    });
    return true;
  }
}
