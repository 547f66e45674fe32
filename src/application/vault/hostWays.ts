import { hash } from 'node:crypto';
import type { ConfiguredWay } from '../../domain/config/configuredWay.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import { describeElement, parseJumpChain, type JumpElement } from '../../domain/ssh/jumpChain.ts';
import type { ConfigQuestion } from '../ports/hosts.ts';

/** What is known while hosts are listed. */
export interface WaySources {
  readonly records: readonly HostRecord[];
  /** The names that the configuration lists. */
  readonly names: ReadonlySet<string>;
  /** What the configuration says about a name; undefined where it cannot be read. */
  readonly configured: (question: ConfigQuestion) => ConfiguredWay | undefined;
}

/** A name or a record, and what is asked of the configuration for it. */
interface Server {
  readonly record: HostRecord | undefined;
  readonly question: ConfigQuestion;
}

/**
 * The listing with the mark of its way: the route of the record or the configuration, where each jump host on it leads, further addresses,
 * and the login shell that the person chose. A host behind another bastion is another one, whatever its address.
 */
export function withWay(
  listing: HostListing,
  record: HostRecord | undefined,
  sources: WaySources,
): HostListing {
  const alias = record === undefined ? listing.alias : (record.alias ?? record.addresses[0]);
  if (alias === undefined) return listing;
  const server = { record, question: questionOf(alias, record ?? {}) };
  const hostName = sources.configured(server.question)?.hostName;
  const text = JSON.stringify({
    ...routeOf(server, sources, []),
    ...(hostName === listing.address ? {} : { hostName }),
    ...(record === undefined ? {} : ownChoices(record)),
  });
  return text === '{}' ? listing : { ...listing, way: hash('sha256', text) };
}

/** What is not the default; JSON leaves out what is undefined. */
function ownChoices({ addresses, shellFamily, useSystemSsh }: HostRecord): object {
  return { others: addresses.length > 1 ? addresses.slice(1) : undefined, shellFamily, useSystemSsh };
}

/**
 * `before` are the names whose own jump hosts are being followed. The record's word wins, as where it is connected; as for `ssh`, only the
 * first host of a chain is reached by its own way.
 */
function routeOf({ record, question }: Server, sources: WaySources, before: readonly string[]): object {
  const found = sources.configured(question);
  const own = record?.useSystemSsh === true ? undefined : record?.route;
  const jump = own?.jump ?? (unlessNone(own?.command) === undefined ? found?.jump : undefined);
  const command = own?.command ?? (own?.jump === undefined ? found?.command : undefined);
  const { proxy } = own ?? {};
  const chain = parseJumpChain(unlessNone(jump) ?? 'none') ?? [];
  return {
    jump: unlessNone(jump),
    command: unlessNone(command),
    proxy: proxy && [proxy.kind, proxy.host, proxy.port, proxy.user ?? ''],
    hops:
      chain.length === 0
        ? undefined
        : chain.map((element, index) => hopOf(element, sources, index === 0 ? before : undefined)),
  };
}

/** Where a jump host leads. Its own way counts where `before` is given, and does not name it. */
function hopOf(element: JumpElement, sources: WaySources, before: readonly string[] | undefined): object {
  const server = serverOf(element, sources);
  const found = sources.configured(server.question);
  const { user, port } = server.question;
  const name = describeElement(element);
  return {
    addresses: [found?.hostName, ...(server.record?.addresses ?? [])],
    user: user ?? found?.user,
    port: port ?? found?.port,
    ...(before?.includes(name) === false ? routeOf(server, sources, [...before, name]) : {}),
  };
}

/** What a name in a chain means: a record linked to that alias, an alias, a vault host of that label, or a name. */
function serverOf(element: JumpElement, { records, names }: WaySources): Server {
  const { alias: name } = element;
  const record =
    records.find(({ alias }) => alias === name) ??
    (names.has(name) ? undefined : records.find(({ label }) => label === name));
  const asked = record?.alias ?? record?.addresses[0] ?? name;
  return {
    record,
    question: questionOf(asked, { user: element.user ?? record?.user, port: element.port ?? record?.port }),
  };
}

function questionOf(
  alias: string,
  { user, port }: { readonly user?: string | undefined; readonly port?: number | undefined },
): ConfigQuestion {
  return { alias, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
}

function unlessNone(value: string | undefined): string | undefined {
  return value === '' || value?.toLowerCase() === 'none' ? undefined : value;
}
