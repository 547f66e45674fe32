import type {
  Algorithms,
  CipherAlgorithm,
  CompressionAlgorithm,
  KexAlgorithm,
  MacAlgorithm,
  NegotiatedAlgorithms,
  ServerHostKeyAlgorithm,
} from 'ssh2';
import { localFault } from '../../domain/fault.ts';
import { usableChoice } from '../../domain/ssh/algorithmChoice.ts';
import {
  optionOf,
  usableAlgorithms,
  type AlgorithmKind,
  type CryptoFacts,
} from '../../domain/ssh/algorithms.ts';
import { KexInitReader } from '../../domain/ssh/kexInit.ts';
import { legacyThatHelps, withoutCommon } from '../../domain/ssh/legacyAlgorithms.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { AgreedAlgorithms, AlgorithmLists, TraceFact } from '../../domain/ssh/trace.ts';

export interface NegotiationOptions {
  readonly target: Target;
  readonly facts: CryptoFacts;
  /** Puts the host key algorithms into the order of what is known of the host. Source: ssh.md 3.4. */
  readonly order: (supported: readonly string[]) => Promise<readonly string[]>;
  readonly note: (fact: TraceFact) => void;
}

/** Before an exchange of keys is done. */
export const nothingAgreed: AgreedAlgorithms = { kex: '', hostKey: '', cipher: '', mac: '', compression: '' };

const categoryOf: Readonly<Record<AlgorithmKind, string>> = {
  kex: 'key exchange',
  hostKey: 'host key',
  cipher: 'cipher',
  mac: 'MAC',
  compression: 'compression',
};

/** What one attempt offers, what the server offers and what both come to. Source: ssh.md 5.1, 1.10; TRAP-5. */
export class Negotiation {
  readonly #ours: AlgorithmLists;
  readonly #options: NegotiationOptions;
  readonly #reader = new KexInitReader();
  #agreed = nothingAgreed;

  private constructor(ours: AlgorithmLists, options: NegotiationOptions) {
    this.#ours = ours;
    this.#options = options;
  }

  /** Rejects with `config-error` when the configuration leaves nothing of a list that this run time can do. */
  static async prepare(options: NegotiationOptions): Promise<Negotiation> {
    const { target, facts, order } = options;
    const { lists, missing } = usableChoice(target.algorithms, facts);
    const [kind] = missing;
    if (kind !== undefined) {
      const option = optionOf[kind];
      const at = target.origins[option.toLowerCase()];
      const reason = `${option} leaves nothing that can be done here${at === undefined ? '' : ` (${at})`}`;
      throw localFault('config-error', { reason });
    }
    const hostKey = target.algorithms.isHostKeyOrderWritten ? lists.hostKey : await order(lists.hostKey);
    const ours = { ...lists, hostKey };
    for (const { keyword, names } of target.algorithms.leftOut)
      options.note({ k: 'leftOut', keyword, names });
    options.note({ k: 'offered', side: 'ours', lists: ours });
    return new Negotiation(ours, options);
  }

  /** In the form of the library. Its types know its names as literals, and not what our patches add. */
  get offer(): Algorithms {
    const { kex, hostKey, cipher, mac, compression } = this.#ours;
    return {
      kex: [...kex] as KexAlgorithm[],
      serverHostKey: [...hostKey] as ServerHostKeyAlgorithm[],
      cipher: [...cipher] as CipherAlgorithm[],
      hmac: [...mac] as MacAlgorithm[],
      compress: [...compression] as CompressionAlgorithm[],
    };
  }

  /** Every algorithm of the connection; of both directions the one from us. */
  get agreed(): AgreedAlgorithms {
    return this.#agreed;
  }

  /** Takes everything that the server sends, until its lists have come. */
  read(chunk: Uint8Array): void {
    const lists = this.#reader.push(chunk);
    if (lists !== undefined) this.#options.note({ k: 'offered', side: 'theirs', lists });
  }

  /** An exchange of keys is done. Only the first of a connection is noted. */
  done({ kex, serverHostKey, cs }: NegotiatedAlgorithms): void {
    const isFirst = this.#agreed === nothingAgreed;
    this.#agreed = {
      kex,
      hostKey: serverHostKey,
      cipher: cs.cipher,
      mac: cs.mac,
      compression: cs.compress,
    };
    if (isFirst) this.#options.note({ k: 'agreed', algorithms: this.#agreed });
  }

  /**
   * What a `no-common-algorithm` fault tells: what kind is missing, both lists, and exactly the legacy algorithms that would be enough.
   * Source: ssh.md 1.4 and 5.3.
   */
  noCommonFacts(): Readonly<Record<string, string>> {
    const theirs = this.#reader.lists;
    if (theirs === undefined) return {};
    const { facts } = this.#options;
    const [kind] = withoutCommon(this.#ours, theirs);
    if (kind === undefined) return {};
    const helping = legacyThatHelps(
      this.#ours,
      theirs,
      (of, name) => usableAlgorithms(of, [name], facts).length > 0,
    );
    return {
      category: categoryOf[kind],
      ours: this.#ours[kind].join(', '),
      theirs: theirs[kind].join(', '),
      ...(helping === undefined ? {} : { legacy: helping.join(', ') }),
    };
  }
}
