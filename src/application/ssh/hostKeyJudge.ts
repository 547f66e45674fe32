import type { ClockPort } from '../../agentkit/index.ts';
import { parseCertificate, type Certificate } from '../../domain/keys/certificate.ts';
import type { Fault } from '../../domain/fault.ts';
import { connectionFault, type ConnectionFaultCode } from '../../domain/ssh/connectionFault.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { TraceFact } from '../../domain/ssh/trace.ts';
import { certReasonText } from '../../domain/trust/certReasonText.ts';
import { actOnTrust, decideTrust, plainKeyOf } from '../../domain/trust/decideTrust.ts';
import { fingerprintOf, keyTypeOf, type PresentedKey } from '../../domain/trust/hostKey.ts';
import { otherNamesOf } from '../../domain/trust/otherNames.ts';
import { randomArt } from '../../domain/trust/randomArt.ts';
import { seenCertificate } from '../../domain/trust/seenCertificate.ts';
import { serverHostKeyOrder } from '../../domain/trust/serverHostKeyOrder.ts';
import { storeSource } from '../../domain/trust/storeSource.ts';
import type { CertificateRules } from '../../domain/trust/hostCertificate.ts';
import type { HostKeyQuestion, SourceLine, TrustDecision } from '../../domain/trust/trust.ts';
import {
  searchedName,
  storedPlaceOf,
  trustNameOf,
  type TrustName,
  type TrustSource,
} from '../../domain/trust/trustRecord.ts';
import type { ChangedKeys } from '../trust/changedKeys.ts';
import type { KnownHostRow, KnownHostsFilesPort, KnownHostsStorePort } from '../ports/knownHosts.ts';
import type { ConnectionPromptPort, LogPort } from '../ports/prompts.ts';

export interface HostKeyJudgeOptions {
  readonly store: KnownHostsStorePort;
  readonly files: KnownHostsFilesPort;
  /** Gets the changed keys that are refused. */
  readonly changed: ChangedKeys;
  /** The setting `termind.trust.appendToUserFile`. */
  readonly appendsToUserFile: () => boolean;
  readonly clock: ClockPort;
  readonly log: LogPort;
  /** Whether the authority named in a certificate has signed it, with one of the algorithms. */
  readonly verifyCertificate: (
    certificate: Certificate,
    algorithms: readonly string[],
  ) => ReturnType<CertificateRules['verify']>;
}

/** One server whose key is judged. */
export interface JudgedHop {
  readonly target: Target;
  readonly hop: string;
  /** It answers at an address of the host that is not its first: nobody is asked about it, and nothing is recorded. Source: ssh.md 1.2. */
  readonly isSecondary: boolean;
  /** What was decided is written down here. */
  readonly note: (fact: TraceFact) => void;
}

export type Verdict =
  | { readonly k: 'accepted' }
  /** `question` is there for a changed key: what the person should read. */
  | { readonly k: 'refused'; readonly fault: Fault; readonly question: HostKeyQuestion | undefined };

/** Judges host keys against the store and every known_hosts file, asks where a person decides, and keeps what was accepted. */
export class HostKeyJudge {
  readonly #options: HostKeyJudgeOptions;

  constructor(options: HostKeyJudgeOptions) {
    this.#options = options;
  }

  /** The host key algorithms to offer, known types first. Rejects with `config-error`. Source: ssh.md 3.4. */
  async order(target: Target, supported: readonly string[]): Promise<readonly string[]> {
    const { sources } = await this.#known(target);
    return serverHostKeyOrder(trustNameOf(target), sources, supported);
  }

  /**
   * The verdict on a key, before anything secret is sent. Rejects only when a source or the question fails, which refuses as well.
   * Source: ssh.md 3.1.
   */
  async judge(
    blob: Uint8Array,
    judged: JudgedHop,
    ask: { readonly prompts: Pick<ConnectionPromptPort, 'hostKey'>; readonly signal: AbortSignal },
  ): Promise<Verdict> {
    const { target, hop, isSecondary } = judged;
    const trust = trustNameOf(target);
    const keyType = keyTypeOf(blob);
    if (keyType === undefined)
      return refused(connectionFault('key-unknown', { stage: 'trust', hop }, { reason: 'it is no key' }));
    const { rows, sources } = await this.#known(target);
    const decision = decideTrust({ keyType, blob }, { trust, sources }, this.#rules(target));
    const presented = plainKeyOf({ keyType, blob });
    judged.note(factOf(decision, { keyType, fingerprint: fingerprintOf(presented.blob) }));
    const question = questionFor(judged, { presented, decision, sources });
    const fault = faultFor(decision, { hop, question, name: searchedName(trust) });
    switch (actOnTrust(decision, isSecondary ? 'yes' : target.strictHostKeyChecking)) {
      case 'accept':
        if (!isSecondary) this.#options.changed.settle(trust);
        if (decision.k === 'accept' && decision.by === 'store') this.#noteUse(rowOf(presented, trust, rows));
        if (decision.k === 'accept' && decision.by === 'ca' && !isSecondary)
          this.#noteCertificate(blob, trust);
        return { k: 'accepted' };
      case 'refuse': {
        if (decision.k !== 'changed' || isSecondary) return refused(fault);
        const { label, tier } = target;
        this.#options.changed.note({ label, tier, trust, presented, known: decision.known });
        return refused(fault, question);
      }
      case 'record':
        await this.#keep(target, presented, 'accept-new');
        return { k: 'accepted' };
      case 'ask': {
        const answer = await ask.prompts.hostKey(question, ask.signal);
        if (answer === 'remember') await this.#keep(target, presented, 'asked');
        return answer === 'remember' || answer === 'once' ? { k: 'accepted' } : refused(fault);
      }
    }
  }

  async #known(
    target: Target,
  ): Promise<{ readonly rows: readonly KnownHostRow[]; readonly sources: readonly TrustSource[] }> {
    const [rows, files] = await Promise.all([
      this.#options.store.rows(),
      this.#options.files.read({
        user: target.userKnownHostsFiles,
        global: target.globalKnownHostsFiles,
        revoked: target.revokedHostKeys,
      }),
    ]);
    return { rows, sources: [storeSource(rows), ...files] };
  }

  #rules(target: Target): CertificateRules {
    const { clock, verifyCertificate } = this.#options;
    return {
      nowSeconds: BigInt(Math.floor(clock.now() / 1_000)),
      verify: (certificate) => verifyCertificate(certificate, target.algorithms.authoritySignature),
    };
  }

  /** Nobody waits for it, and nothing depends on it. */
  #noteUse(row: KnownHostRow | undefined): void {
    const { store, clock, log } = this.#options;
    const now = clock.now();
    if (row === undefined || (row.lastUsedAt ?? 0) > now - useNoteMs) return;
    store.noteUse(row, now).catch((error: unknown) => log.error('trust', 'a use could not be noted', error));
  }

  /** As for a use. */
  #noteCertificate(blob: Uint8Array, trust: TrustName): void {
    const { store, clock, log } = this.#options;
    const parsed = parseCertificate(blob);
    if (parsed.k !== 'certificate') return;
    store
      .noteCertificate(seenCertificate(parsed.certificate, { trust, at: clock.now() }))
      .catch((error: unknown) => log.error('trust', 'a certificate could not be noted', error));
  }

  /** A key that cannot be kept is accepted for this connection all the same: the person has said yes to the key. */
  async #keep(target: Target, presented: PresentedKey, origin: 'asked' | 'accept-new'): Promise<void> {
    try {
      await this.#options.store.add({
        ...storedPlaceOf(trustNameOf(target)),
        keyType: presented.keyType,
        keyBase64: Buffer.from(presented.blob).toString('base64'),
        origin,
        addedAt: this.#options.clock.now(),
      });
    } catch (error) {
      this.#options.log.error('trust', 'an accepted host key could not be kept', error);
    }
    const [file] = target.userKnownHostsFiles;
    if (file === undefined || !this.#options.appendsToUserFile()) return;
    try {
      const name = searchedName(trustNameOf(target));
      await this.#options.files.append(file, { name: name.toLowerCase(), presented });
    } catch (error) {
      this.#options.log.error(
        'trust',
        'an accepted host key could not be appended to the known_hosts file',
        error,
      );
    }
  }
}

/** How exactly the last use of a key is known. */
const useNoteMs = 3_600_000;

/** The row that has accepted a key: under the name with its port, else without. */
function rowOf(
  { blob }: PresentedKey,
  trust: TrustName,
  rows: readonly KnownHostRow[],
): KnownHostRow | undefined {
  const keyBase64 = Buffer.from(blob).toString('base64');
  const { name, port } = storedPlaceOf(trust);
  const same = rows.filter((row) => row.name.toLowerCase() === name && row.keyBase64 === keyBase64);
  return same.find((row) => row.port === port) ?? same.find((row) => row.port === 22);
}

function questionFor(
  { target, hop }: JudgedHop,
  found: {
    readonly presented: PresentedKey;
    readonly decision: TrustDecision;
    readonly sources: readonly TrustSource[];
  },
): HostKeyQuestion {
  const { presented, decision, sources } = found;
  return {
    hop,
    label: target.label,
    trustName: target.trustName,
    port: target.port,
    keyType: presented.keyType,
    fingerprint: fingerprintOf(presented.blob),
    why: decision.k === 'ask' ? decision.why : 'unknown',
    searched: sources.map((source) => source.name),
    known: decision.k === 'ask' || decision.k === 'changed' ? decision.known : [],
    randomArt: randomArt(presented),
    sharedWith: otherNamesOf(presented, searchedName(trustNameOf(target)), sources),
  };
}

function refused(fault: Fault, question?: HostKeyQuestion): Verdict {
  return { k: 'refused', fault, question };
}

function faultFor(
  decision: TrustDecision,
  {
    hop,
    question,
    name,
  }: { readonly hop: string; readonly question: HostKeyQuestion; readonly name: string },
): Fault {
  const facts: Record<string, string> = {
    name,
    keyType: question.keyType,
    fingerprint: question.fingerprint,
    ...(decision.k === 'changed' ? { known: decision.known.map(describeLine).join('; ') } : {}),
    ...(decision.k === 'revoked' ? { at: describeLine(decision.at) } : {}),
    ...('reason' in decision ? { reason: decision.reason } : {}),
  };
  return connectionFault(codeFor(decision), { stage: 'trust', hop }, facts);
}

function factOf(
  decision: TrustDecision,
  key: { readonly keyType: string; readonly fingerprint: string },
): TraceFact {
  const line = 'at' in decision ? decision.at : decision.k === 'changed' ? decision.known[0] : undefined;
  // A row of the store has no line, and a decision about a key names the store; one about a certificate does not.
  const hasPlace = line?.line !== undefined || (decision.k === 'accept' && decision.by === 'ca');
  const at = line !== undefined && hasPlace ? placeOf(line) : undefined;
  return { k: 'hostKey', ...key, decision: decisionText(decision), at };
}

function decisionText(decision: TrustDecision): string {
  switch (decision.k) {
    case 'accept':
      return `accepted by ${decision.by}`;
    case 'ask':
      return decision.why;
    case 'changed':
      return `changed; known: ${decision.known.map(describeLine).join('; ')}`;
    case 'revoked':
      return `revoked ${decision.what}`;
    case 'cert-refused':
      return `certificate refused: ${certReasonText(decision.reason)}`;
  }
}

function codeFor(decision: TrustDecision): ConnectionFaultCode {
  switch (decision.k) {
    case 'changed':
      return 'key-changed';
    case 'revoked':
      return 'key-revoked';
    case 'cert-refused':
      return 'cert-refused';
    case 'accept':
    case 'ask':
      return 'key-unknown';
  }
}

function describeLine(at: SourceLine): string {
  return `${at.keyType} ${at.fingerprint} (${placeOf(at)})`;
}

function placeOf(at: SourceLine): string {
  return at.line === undefined ? at.source : `${at.source}:${String(at.line)}`;
}
