import { untilAborted, type ClockPort } from '../../clock.ts';
import { quoteForeign } from '../../codedError.ts';
import type { ToolContext } from '../../tool.ts';
import { findTarget, parseFetchUrl, restrictedAddresses, type FetchTarget } from './fetchTarget.ts';
import { isReadableType, parseMediaType } from './mediaType.ts';
import type { WebHeader } from './requestHeaders.ts';
import { webReasons, webSubject } from './webCard.ts';
import { WebError } from './webError.ts';
import {
  webLimits,
  type NamesPort,
  type ReceivedDocument,
  type WebPorts,
  type WebResponse,
} from './webPorts.ts';

/** One URL that may be asked for: `target` was judged, and decided about where it needs that. */
export interface WebOrder {
  readonly target: FetchTarget;
  /** Checked. They follow every redirect, also to another origin. Source: seed 1. */
  readonly headers: readonly WebHeader[];
  readonly savedAs?: string | undefined;
}

export interface Received extends ReceivedDocument {
  readonly status: number;
  /** As the server wrote it; empty when it wrote none. */
  readonly contentType: string;
  readonly redirects: number;
}

type Asking = Pick<ToolContext, 'authorize' | 'redactor' | 'signal'>;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Asks for a document and follows its redirects. Every hop is resolved and judged anew, and one that first enters a restricted origin
 * waits for a decision of its own; each connection goes to an address that was judged. Rejects with `WebError`, or the signal's reason.
 * Source: agent runtime contract, section 19.
 */
export async function receiveDocument(order: WebOrder, ports: WebPorts, asking: Asking): Promise<Received> {
  const { signal } = asking;
  const time = new NetworkTime(ports.clock);
  const decided = new Decisions(order.target);
  let { target } = order;
  for (let redirects = 0; ; redirects++) {
    const answer = await time.spend(target.host, (totalMs) =>
      request(target, order, { ports, totalMs, signal }),
    );
    try {
      const location = redirectStatuses.has(answer.status) ? answer.header('location') : undefined;
      if (location === undefined)
        return { ...(await time.spend(target.host, () => read(target, answer, signal))), redirects };
      if (redirects === webLimits.redirects)
        throw new WebError('tooManyRedirects', { limit: String(webLimits.redirects) });
      const next = parseFetchUrl(location, target.url);
      const from = target.url;
      target = await time.spend(next.hostname, () => lookUp(next, ports, signal));
      if (!decided.cover(target)) await decide({ target, order, from, asking });
      decided.add(target);
    } finally {
      answer.dispose();
    }
  }
}

/** Resolves and judges, in the time that connecting may take. */
export async function lookUp(
  url: URL,
  ports: { readonly names: NamesPort; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<FetchTarget> {
  const late = new AbortController();
  const limit = `no address of it within ${webLimits.connectMs / 1_000} seconds`;
  const timer = ports.clock.after(webLimits.connectMs, () =>
    late.abort(new WebError('timedOut', { host: url.hostname, limit })),
  );
  const either = AbortSignal.any([signal, late.signal]);
  try {
    return await untilAborted(findTarget(url, ports.names, either), either);
  } finally {
    timer.dispose();
  }
}

function request(
  target: FetchTarget,
  order: WebOrder,
  {
    ports,
    totalMs,
    signal,
  }: { readonly ports: WebPorts; readonly totalMs: number; readonly signal: AbortSignal },
): Promise<WebResponse> {
  const addresses = target.addresses.map(({ address }) => address);
  return ports.requests.get({ url: target.url, addresses, headers: order.headers, totalMs }, signal);
}

async function read(
  target: FetchTarget,
  answer: WebResponse,
  signal: AbortSignal,
): Promise<Omit<Received, 'redirects'>> {
  const contentType = answer.header('content-type') ?? '';
  const { type, charset } = parseMediaType(contentType);
  const mayBeEmpty = type === '' || answer.header('content-length') === '0';
  if (!isReadableType(type) && !mayBeEmpty) throw notReadable(contentType);
  const bytes = await answer.body(signal);
  if (!isReadableType(type) && bytes.length > 0) throw notReadable(contentType);
  return { status: answer.status, contentType, mediaType: type, charset, url: target.url, bytes };
}

function notReadable(contentType: string): WebError {
  return new WebError('typeNotReadable', {
    type: contentType === '' ? 'A document without a type' : quoteForeign(contentType),
  });
}

interface RedirectInQuestion {
  readonly target: FetchTarget;
  readonly order: WebOrder;
  readonly from: string;
  readonly asking: Asking;
}

async function decide({ target, order, from, asking }: RedirectInQuestion): Promise<void> {
  const { headers, savedAs } = order;
  const { redactor } = asking;
  const decision = await asking.authorize({
    subject: webSubject({ target, headers, savedAs, redirectedFrom: from, redactor }),
    reasons: webReasons(target, from),
    alwaysAskUser: false,
  });
  if (decision.verdict !== 'allow')
    throw new WebError('notAllowed', { url: `The redirect to ${target.url}`, reason: decision.reason });
}

/** Which restricted addresses of which origins were decided about in this call. */
class Decisions {
  readonly #entered = new Set<string>();

  constructor(first: FetchTarget) {
    this.add(first);
  }
  /** Nothing about this target is left to decide. */
  cover(target: FetchTarget): boolean {
    return keysOf(target).every((key) => this.#entered.has(key));
  }
  add(target: FetchTarget): void {
    for (const key of keysOf(target)) this.#entered.add(key);
  }
}

function keysOf(target: FetchTarget): readonly string[] {
  return restrictedAddresses(target).map(({ address }) => `${target.origin} ${address}`);
}

/** The time that all hops have together. Waiting for a decision costs none of it. */
class NetworkTime {
  readonly #clock: ClockPort;
  #leftMs: number = webLimits.totalMs;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }
  async spend<T>(host: string, work: (leftMs: number) => Promise<T>): Promise<T> {
    if (this.#leftMs <= 0)
      throw new WebError('timedOut', { host, limit: `${webLimits.totalMs / 1_000} seconds were over` });
    const startedAt = this.#clock.monotonic();
    try {
      return await work(this.#leftMs);
    } finally {
      this.#leftMs -= this.#clock.monotonic() - startedAt;
    }
  }
}
