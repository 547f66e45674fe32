import type { Duplex } from 'node:stream';
import type { Client, ConnectConfig } from 'ssh2';
import { abortReason } from '../../agentkit/index.ts';
import type { PromptKind } from '../../application/ports/connection.ts';
import type { TransportRequest } from '../../application/ports/transport.ts';
import { faultModelText, isTermindError, type Fault } from '../../domain/fault.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import { hopName } from '../../domain/ssh/hop.ts';
import {
  nameConnectError,
  type ConnectFailure,
  type ConnectPhase,
} from '../../domain/ssh/nameConnectError.ts';
import type { TraceFact } from '../../domain/ssh/trace.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { fingerprintOf, keyTypeOf } from '../../domain/trust/hostKey.ts';
import { AgentForwarder } from './agentForwarder.ts';
import { AttemptPassphrases } from './attemptPassphrases.ts';
import { AttemptPasswords } from './attemptPasswords.ts';
import { AttemptPrompts } from './attemptPrompts.ts';
import { AuthSession } from './authSession.ts';
import { Banners } from './banners.ts';
import { watchHostKeyProofs, type AnnouncedKeys } from './hostKeyProofs.ts';
import { hostVerifier } from './hostVerifier.ts';
import { Identification } from './identification.ts';
import { joinWrites } from './joinWrites.ts';
import { changePassword, filterMessages, protocolOf } from './libraryParts.ts';
import { Negotiation, nothingAgreed } from './negotiation.ts';
import { PublickeySender } from './publickeySender.ts';
import { RaceLost } from './raceAddresses.ts';
import { openCarrier, type OpenedCarrier } from './route/openCarrier.ts';
import { cryptoFacts, loadSsh2 } from './ssh2Library.ts';
import { SshConnection } from './sshConnection.ts';
import type { SshTransportOptions } from './sshTransport.ts';
import { StageTimer } from './stageTimer.ts';

/** Sent to the server as `SSH-2.0-Termind`. */
const softwareName = 'Termind';
/** Source: ssh.md 1.3. */
const limits = { connectMs: 15_000, identifyMs: 45_000, kexMs: 30_000, authMs: 30_000 };
const keepAlive = { intervalMs: 10_000, countMax: 3 };
/** By the library's names: harmless before the host key is accepted. */
const mayComeFirst: ReadonlySet<string> = new Set(['DEBUG', 'DISCONNECT', 'EXT_INFO']);
/** What a server answers to a request to sign in, once for each. Source: RFC 4252 section 5.1. */
const answers: ReadonlySet<string> = new Set([
  ...['USERAUTH_FAILURE', 'USERAUTH_SUCCESS', 'USERAUTH_PK_OK'],
  ...['USERAUTH_PASSWD_CHANGEREQ', 'USERAUTH_INFO_REQUEST'],
]);

/**
 * One attempt to connect to one hop, from the address to the authenticated connection. The first fatal error is the attempt's fault;
 * everything it opened is closed when it fails. Use once. Source: ssh.md 1.3, 1.4, 3.1; TRAP-3, TRAP-4, TRAP-6.
 */
export class ConnectAttempt {
  readonly #options: SshTransportOptions;
  readonly #request: TransportRequest;
  readonly #hop: string;
  readonly #timer: StageTimer;
  /** Aborts when the attempt ends: prompts close, signers stop. */
  readonly #over = new AbortController();
  readonly #prompts: AttemptPrompts;
  readonly #identification = new Identification();
  #phase: ConnectPhase = 'connect';
  #fault: Fault | undefined;
  #reject: (error: Error) => void = () => {};
  #carrier: OpenedCarrier | undefined;
  #auth: AuthSession | undefined;
  #negotiation: Negotiation | undefined;
  #hostKey: Uint8Array | undefined;
  /** The server has announced its host keys. Only the first announcement of a connection is read. */
  #hasAnnounced = false;
  #serverTakes: readonly string[] | undefined;
  /** A request to sign in is on its way. */
  #awaitsAnswer = false;
  #connection: SshConnection | undefined;
  readonly #without: ReadonlySet<string>;
  #strangerAt: string | undefined;
  readonly #banners = new Banners();

  /** `without`: addresses at which another server answers. */
  constructor(
    options: SshTransportOptions,
    request: TransportRequest,
    without: ReadonlySet<string> = new Set(),
  ) {
    this.#options = options;
    this.#request = request;
    this.#without = without;
    this.#hop = hopName(request.hop);
    this.#timer = new StageTimer(options.clock);
    this.#prompts = new AttemptPrompts({
      prompts: options.prompts,
      timer: this.#timer,
      hop: this.#hop,
      signal: this.#over.signal,
      onAsking: (what: PromptKind | undefined) => {
        this.#note({ k: 'asked', what });
        request.onProgress(what === undefined ? { k: 'connecting' } : { k: 'asking', what });
      },
      beforeAsking: (what) => {
        if (what !== 'signing' && !request.mayAsk())
          this.#fail(connectionFault('answer-needed', this.#place(), { what }));
      },
    });
  }

  /** The secondary address at which the attempt met a server without a trusted key: it is not this host. */
  get strangerAt(): string | undefined {
    return this.#strangerAt;
  }

  /** Rejects with `TermindError`; an abort ends the attempt as `cancelled`. */
  async run(signal: AbortSignal): Promise<SshConnection> {
    const onAbort = (): void => this.#fail(connectionFault('cancelled', this.#place()), abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      return await new Promise<SshConnection>((resolve, reject) => {
        this.#reject = reject;
        if (this.#fault !== undefined) return reject(faultError(this.#fault));
        this.#start(resolve).catch((error: unknown) => this.#failWith(error));
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#timer.dispose();
      this.#auth?.dispose();
    }
  }

  async #start(resolve: (connection: SshConnection) => void): Promise<void> {
    const { target, onProgress } = this.#request;
    const { judge } = this.#options;
    onProgress({ k: 'connecting' });
    const ssh2 = await loadSsh2();
    const negotiation = await Negotiation.prepare({
      target,
      facts: cryptoFacts(),
      order: (supported) => judge.order(target, supported),
      note: (fact) => this.#request.trace.add(this.#hop, fact),
    });
    this.#negotiation = negotiation;
    const { signal } = this.#over;
    signal.throwIfAborted();
    const stream = await this.#openStream();
    this.#phase = 'identify';
    this.#limit(limits.identifyMs);
    stream.on('data', (chunk: Buffer) => this.#onData(chunk));

    const client = new ssh2.Client();
    this.#listen(client, resolve);
    const sender = new PublickeySender(ssh2, signal);
    const auth = this.#newAuthSession(sender);
    this.#auth = auth;
    joinWrites(stream);
    client.connect({
      ...this.#config(auth),
      algorithms: negotiation.offer,
      sock: stream,
    });
    sender.install(client);
    this.#captureSignatureAlgorithms(client);
    watchHostKeyProofs(client, (keys) => this.#learnKeys(keys));
    filterMessages(client, (message) => this.#mayPass(message));
  }

  /**
   * The library takes what the server encrypts while its host key is still being judged, a finished sign-in included. Until then it is
   * nobody's word, and a real server has nothing to say but what RFC 8308 puts there. Later it answers once: a second answer while the
   * first is being dealt with would put another question beside the one that is open. Source: ssh.md 1.3 and 3.1.
   */
  #mayPass(message: string): boolean {
    const wrong =
      this.#hostKey === undefined && !mayComeFirst.has(message)
        ? 'the server went on before its host key was accepted'
        : answers.has(message) && !this.#awaitsAnswer
          ? 'the server answered a sign-in twice'
          : undefined;
    if (wrong !== undefined) this.#failed({ k: 'protocol', message: wrong });
    return wrong === undefined;
  }

  #onWaiting(isWaiting: boolean): void {
    this.#awaitsAnswer = isWaiting;
    if (isWaiting) this.#limit(limits.authMs);
    else this.#timer.stop();
  }

  /** A jump host that does not answer has no timer of its own. */
  async #openStream(): Promise<Duplex> {
    const { target, via } = this.#request;
    const { signal } = this.#over;
    const timeoutMs = target.connectTimeoutMs ?? limits.connectMs;
    if (target.route.k === 'jump') this.#limit(timeoutMs);
    const addresses = target.addresses.filter((name) => !this.#without.has(name));
    const request = { target, addresses, hop: this.#hop, via, timeoutMs, note: this.#note };
    const carrier = await openCarrier(request, this.#options, signal);
    if (signal.aborted) carrier.stream.destroy();
    signal.throwIfAborted();
    this.#carrier = carrier;
    return carrier.stream;
  }

  readonly #note = (fact: TraceFact): void => this.#request.trace.add(this.#hop, fact);

  #config(auth: AuthSession): ConnectConfig {
    return {
      username: this.#request.target.user,
      ident: softwareName,
      readyTimeout: 0,
      keepaliveInterval: 0,
      strictVendor: false,
      hostVerifier: hostVerifier(
        (blob) => this.#judge(blob),
        (error) => this.#failWith(error),
      ),
      authHandler: auth.handler,
    };
  }

  #newAuthSession(sender: PublickeySender): AuthSession {
    const { target, lastSucceeded, trace } = this.#request;
    const { agents, clock, passwords, passphrases, log } = this.#options;
    return new AuthSession({
      target,
      hop: this.#hop,
      agents,
      sender,
      prompts: this.#prompts,
      passwords: new AttemptPasswords({ kept: passwords, target, log }),
      passphrases: new AttemptPassphrases(passphrases, log),
      clock,
      lastSucceeded,
      signal: this.#over.signal,
      serverTakes: () => this.#serverTakes,
      onWaiting: (isWaiting) => this.#onWaiting(isWaiting),
      onStopped: (fault) => this.#fail(fault),
      record: (fact) => trace.add(this.#hop, fact),
    });
  }

  /** Everything the client may tell, from its creation to its end. There is always a listener for errors. */
  #listen(client: Client, resolve: (connection: SshConnection) => void): void {
    client.on('error', (error: LibraryError) => {
      // A method that failed is the method engine's business while others remain.
      if (error.level === 'client-authentication' || error.level === 'agent') return;
      if (this.#fault !== undefined) this.#note({ k: 'laterError', text: showUntrusted(error.message) });
      this.#failed(causeOf(error, this.#negotiation), error);
    });
    client.on('handshake', (negotiated) => {
      this.#negotiation?.done(negotiated);
      this.#carrier?.shareReads?.(decryptsAtOnce(negotiated.sc.cipher));
      if (this.#phase !== 'kex') return;
      this.#phase = 'auth';
      this.#limit(limits.authMs);
    });
    client.on('change password', (words: string, send: (next: string) => void) =>
      this.#auth?.passwordExpired(words, (current, next) => changePassword(client, { current, next }, send)),
    );
    client.on('banner', (words: string) => this.#onBanner(words));
    client.on('end', () => this.#failed(this.#closeCause()));
    client.on('close', () => this.#failed(this.#closeCause()));
    client.on('ready', () => {
      if (this.#fault !== undefined) return;
      this.#timer.stop();
      this.#phase = 'ready';
      const carrier = this.#carrier;
      if (carrier === undefined) return;
      const forwarder = this.#newForwarder();
      if (forwarder === undefined) return resolve(this.#becomeConnection(client, carrier));
      forwarder.start(client).then(
        (forwardedAgent) => {
          const connection = this.#becomeConnection(client, carrier, forwardedAgent);
          connection.onEnd(() => forwarder.dispose());
          resolve(connection);
        },
        (error: unknown) => {
          forwarder.dispose();
          this.#failWith(error);
        },
      );
    });
  }

  #onBanner(words: string): void {
    const text = this.#banners.add(words);
    if (text !== undefined) this.#note({ k: 'banner', text });
    if (this.#banners.areEndless)
      this.#failed({ k: 'protocol', message: 'the server sends banners without end' });
  }

  #newForwarder(): AgentForwarder | undefined {
    const { target, trace } = this.#request;
    const { agents, prompts, log } = this.#options;
    if (target.agentForwarding === undefined) return undefined;
    return new AgentForwarder({
      target,
      forwarding: target.agentForwarding,
      hop: this.#hop,
      agents,
      signedIn: this.#auth?.agent,
      prompts: this.#prompts,
      confirm: (question, signal) => prompts.confirm(question, signal),
      log,
      record: (fact) => trace.add(this.#hop, fact),
    });
  }

  #becomeConnection(client: Client, carrier: OpenedCarrier, forwardedAgent?: string): SshConnection {
    const { target } = this.#request;
    const { clock, log, channelMemory } = this.#options;
    const blob = this.#hostKey ?? new Uint8Array();
    const algorithms = this.#negotiation?.agreed ?? nothingAgreed;
    const connection = new SshConnection({
      client,
      carrier: carrier.stream,
      hop: this.#hop,
      facts: {
        user: target.user,
        address: carrier.address,
        port: target.port,
        serverIdentification: showUntrusted(this.#identification.line ?? ''),
        hostKeyType: keyTypeOf(blob) ?? '',
        hostKeyFingerprint: fingerprintOf(blob),
        authenticatedBy: this.#auth?.authenticatedBy ?? '',
        algorithms,
        agent: this.#auth?.agent?.client.endpoint,
        forwardedAgent,
      },
      acceptedKey: this.#auth?.acceptedKey,
      banner: this.#banners.text,
      clock,
      log,
      keepAliveIntervalMs: target.serverAliveIntervalMs ?? keepAlive.intervalMs,
      keepAliveCountMax: target.serverAliveCountMax ?? keepAlive.countMax,
      trace: this.#request.trace,
      channelMemory: {
        recall: () => channelMemory.recall(target.hostId),
        remember: (learned) => channelMemory.remember(target.hostId, learned),
      },
    });
    this.#connection = connection;
    void this.#auth?.succeeded();
    this.#note({ k: 'signedIn', by: connection.facts.authenticatedBy });
    return connection;
  }

  #onData(chunk: Buffer): void {
    this.#connection?.noteInbound();
    this.#negotiation?.read(chunk);
    if (this.#phase !== 'identify' || !this.#identification.push(chunk)) return;
    this.#note({ k: 'identification', side: 'ours', text: `SSH-2.0-${softwareName}` });
    this.#note({ k: 'identification', side: 'theirs', text: showUntrusted(this.#identification.line ?? '') });
    this.#phase = 'kex';
    this.#limit(limits.kexMs);
  }

  /** Only `true` lets the key exchange go on. A refusal ends the attempt before anything secret was sent. */
  async #judge(blob: Uint8Array): Promise<boolean> {
    const { judge, prompts, log, lifetime } = this.#options;
    const { signal } = this.#over;
    const { target } = this.#request;
    const name = this.#carrier?.name;
    const isSecondary = name !== undefined && name !== target.addresses[0];
    const judged = {
      target,
      hop: this.#hop,
      isSecondary,
      note: (fact: TraceFact) => this.#request.trace.add(this.#hop, fact),
    };
    try {
      const verdict = await judge.judge(blob, judged, { prompts: this.#prompts, signal });
      if (signal.aborted) return false;
      if (verdict.k === 'accepted') {
        this.#hostKey = blob;
        return true;
      }
      if (isSecondary) this.#strangerAt = name;
      this.#fail(verdict.fault);
      if (verdict.question !== undefined)
        prompts
          .changedKey(verdict.question, lifetime)
          .catch((error: unknown) => log.error('trust', 'a changed key could not be shown', error));
    } catch (error) {
      this.#fail(isTermindError(error) ? error.fault : this.#internal(error), error);
    }
    return false;
  }

  #learnKeys({ proven, unproven }: AnnouncedKeys): void {
    const blob = this.#hostKey;
    const keyType = blob === undefined ? undefined : keyTypeOf(blob);
    if (this.#phase !== 'ready' || blob === undefined || keyType === undefined || this.#hasAnnounced) return;
    this.#hasAnnounced = true;
    const { keyUpdates, lifetime } = this.#options;
    const { target, mayAsk } = this.#request;
    const over = new AbortController();
    this.#connection?.onEnd(() => over.abort());
    const current = { keyType, blob };
    const announcement = { target, hop: this.#hop, current, announced: proven, unproven, mayAsk: mayAsk() };
    void keyUpdates.learn(announcement, AbortSignal.any([over.signal, lifetime]));
  }

  #internal(error: unknown): Fault {
    return connectionFault('internal', this.#place(), {
      reason: error instanceof Error ? error.message : String(error),
    });
  }

  /** Which signature algorithms the server takes is told in an extension that the library keeps to itself. Source: RFC 8308. */
  #captureSignatureAlgorithms(client: Client): void {
    const handlers = protocolOf(client)._handlers;
    const original = handlers.EXT_INFO;
    handlers.EXT_INFO = (protocol, extensions) => {
      const algorithms = extensions.find(({ name }) => name === 'server-sig-algs')?.algs;
      if (Array.isArray(algorithms)) this.#serverTakes = algorithms.map(String);
      original(protocol, extensions);
    };
  }

  #limit(ms: number): void {
    this.#timer.start(ms, () => this.#failed({ k: 'timeout' }));
  }

  #closeCause(): ConnectFailure['cause'] {
    return this.#prompts.isOpen
      ? { k: 'disconnect', reason: 'the server stopped waiting while a question was open' }
      : { k: 'closed' };
  }

  #place(): { readonly stage: Fault['stage']; readonly hop: string } {
    const stage = {
      connect: 'transport',
      identify: 'transport',
      kex: 'kex',
      auth: 'auth',
      ready: 'link',
    } as const;
    return { stage: stage[this.#phase], hop: this.#hop };
  }

  #failWith(error: unknown): void {
    if (isTermindError(error)) return this.#fail({ hop: this.#hop, ...error.fault }, error);
    if (error instanceof RaceLost) {
      const cause =
        error.code === undefined ? { k: 'timeout' as const } : { k: 'socket' as const, code: error.code };
      return this.#failed(cause, error, error.address);
    }
    this.#failed({ k: 'protocol', message: error instanceof Error ? error.message : String(error) }, error);
  }

  #failed(
    cause: ConnectFailure['cause'],
    error?: unknown,
    address = this.#request.target.addresses[0] ?? '',
  ): void {
    const { port } = this.#request.target;
    const { firstBytes, line } = this.#identification;
    const hasEnded = cause.k === 'closed' || cause.k === 'socket' || cause.k === 'protocol';
    const known = hasEnded ? this.#carrier?.nameEnd(line !== undefined) : undefined;
    const isOpen = this.#phase === 'ready';
    if (known !== undefined) return this.#fail(isOpen ? { ...known, outcome: 'unknown' } : known, error);
    const fault = nameConnectError({ phase: this.#phase, hop: this.#hop, address, port, cause, firstBytes });
    const from = this.#phase === 'connect' ? this.#request.via?.hop : undefined;
    this.#fail(from === undefined ? fault : { ...fault, hop: from, facts: { ...fault.facts, from } }, error);
  }

  /** The first fault counts. After the attempt has become a connection it is that connection's end. */
  #fail(fault: Fault, cause?: unknown): void {
    if (this.#connection !== undefined) return this.#connection.ended(fault);
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#note({ k: 'ended', code: fault.code, reason: faultModelText[fault.code](fault.facts) });
    this.#over.abort(faultError(fault, cause));
    this.#timer.stop();
    this.#carrier?.stream.destroy();
    this.#reject(faultError(fault, cause));
  }
}

interface LibraryError extends Error {
  readonly level?: string;
  readonly code?: string | number;
}

/** The library tells apart by level and by the kind of its code; a failed negotiation by its text alone. */
/**
 * Whether the library is done with a chunk of the line when it returns. Of the ciphers in use only AES-GCM is certain to be, by our fifth
 * patch: ChaCha20 keeps a packet that is whole in one chunk until its tag has come with the next.
 */
function decryptsAtOnce(cipher: string): boolean {
  return /^aes\d+-gcm/.test(cipher);
}

function causeOf(error: LibraryError, negotiation: Negotiation | undefined): ConnectFailure['cause'] {
  if (typeof error.code === 'number') return { k: 'disconnect', reason: error.message };
  if (error.level === 'client-socket') return { k: 'socket', code: error.code ?? 'EUNKNOWN' };
  const category = /^Handshake failed: no matching (.+)$/.exec(error.message)?.[1];
  if (category !== undefined)
    return { k: 'no-common-algorithm', facts: { category, ...negotiation?.noCommonFacts() } };
  return { k: 'protocol', message: error.message };
}
