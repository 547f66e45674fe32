import type { ConversationId, Disposable, GrantShape } from '../../agentkit/index.ts';
import { bindText, forwardText } from '../../domain/forward/forwardText.ts';
import type { ForwardId } from '../../domain/forward/forward.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import { placeText } from '../../domain/host/placeText.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';
import { knownHostsName } from '../../domain/trust/trustRecord.ts';
import type { ExecRecord } from '../exec/execRecord.ts';
import type { ForwardRegistry } from '../forwards/forwardRegistry.ts';
import type { RaisedHost, RaisedHosts } from '../assistant/raisedHosts.ts';
import type { GrantStorePort } from '../ports/grants.ts';
import type { HostDirectory, HostStorePort } from '../ports/hosts.ts';
import type { KnownHostRow, KnownHostsStorePort } from '../ports/knownHosts.ts';
import type { OperationHost } from '../ports/operations.ts';
import type { ActNote } from './operationsLog.ts';

/** Where acts are written down; see `OperationsLog.note`. */
export interface ActNotes {
  note(act: ActNote): void;
}

/** What is said of a machine in the log. */
export function operationHost(host: HostListing): OperationHost {
  const { id, label, user, address, port, tier } = host;
  return { id, label, user, address: placeText(address, port), tier: tier ?? '' };
}

/** The vault's hosts; what is added, removed or given another tier, user or address is written down, and each connect. */
export function notedHostStore(
  store: HostStorePort,
  options: { readonly notes: ActNotes; readonly hosts: () => Pick<HostDirectory, 'get'> },
): HostStorePort {
  const { notes, hosts } = options;
  return {
    list: () => store.list(),
    get: (id) => store.get(id),
    recents: () => store.recents(),
    facts: (id) => store.facts(id),
    learn: (id, facts) => store.learn(id, facts),
    async put(record) {
      const before = record.revision === 0 ? undefined : await store.get(record.id);
      const stored = await store.put(record);
      for (const act of changesOf(before, stored)) notes.note({ ...act, host: recordHost(stored) });
      return stored;
    },
    async remove(id) {
      const before = await store.get(id);
      await store.remove(id);
      if (before !== undefined) notes.note({ what: 'hostRemoved', facts: {}, host: recordHost(before) });
    },
    async recordConnect(entry) {
      await store.recordConnect(entry);
      const host = await hosts().get(entry.hostId);
      notes.note({
        what: entry.ok ? 'connected' : 'connectFailed',
        actor: 'termind',
        facts: {},
        ...(host === undefined ? {} : { host: operationHost(host) }),
      });
    },
  };
}

/** The accepted host keys; what is trusted from now on or not any more is written down, with who decided. */
export function notedKnownHosts(store: KnownHostsStorePort, notes: ActNotes): KnownHostsStorePort {
  return {
    rows: () => store.rows(),
    noteUse: (key, at) => store.noteUse(key, at),
    noteCertificate: (certificate) => store.noteCertificate(certificate),
    certificates: () => store.certificates(),
    audit: () => store.audit(),
    async add(row) {
      await store.add(row);
      notes.note(trusted(row));
    },
    async change(change) {
      await store.change(change);
      for (const row of change.add) notes.note(trusted(row));
      for (const { name, port, oldKey, newKey, actor, reason } of change.audit)
        notes.note({
          what: newKey === undefined ? 'hostKeyForgotten' : 'hostKeyReplaced',
          actor: actor === 'person' ? 'person' : 'termind',
          facts: {
            name: knownHostsName(name, port),
            key: oldKey,
            ...(newKey === undefined ? {} : { newKey }),
            ...(reason === undefined ? {} : { reason }),
          },
        });
    },
  };
}

/** What people allow for a whole conversation; what is given or taken back is written down. */
export function notedGrants(store: GrantStorePort, notes: ActNotes): GrantStorePort {
  const factsOf = (conversation: ConversationId, { tool, action, target }: GrantShape): ActNote['facts'] => ({
    conversation,
    tool,
    shape: action,
    ...(target === '' ? {} : { target }),
  });
  return {
    covering: (conversation, shape) => store.covering(conversation, shape),
    list: (conversation) => store.list(conversation),
    async give(conversation, shape) {
      const grant = await store.give(conversation, shape);
      notes.note({ what: 'grantGiven', facts: { ...factsOf(conversation, shape), grant: grant.id } });
      return grant;
    },
    async revoke(conversation, id) {
      const grant = (await store.list(conversation)).find((one) => one.id === id);
      const isRevoked = await store.revoke(conversation, id);
      if (isRevoked)
        notes.note({
          what: 'grantRevoked',
          facts: { ...(grant === undefined ? {} : factsOf(conversation, grant.shape)), grant: id },
        });
      return isRevoked;
    },
  };
}

/** Writes down which production hosts a person lets the assistant change, and when that is over. The caller disposes the result. */
export function noteRaises(
  raised: Pick<RaisedHosts, 'onDidChange' | 'list'>,
  options: { readonly notes: ActNotes; readonly hosts: Pick<HostDirectory, 'get'> },
): Disposable {
  const known = new Map<ConversationId, readonly RaisedHost[]>();
  const note = async (
    what: string,
    { id, label }: RaisedHost,
    conversation: ConversationId,
  ): Promise<void> => {
    const host = await options.hosts.get(id).catch(() => undefined);
    options.notes.note({
      what,
      actor: what === 'hostRaised' ? 'person' : 'termind',
      facts: { conversation },
      host: host === undefined ? { id, label, user: '', address: '', tier: '' } : operationHost(host),
    });
  };
  return raised.onDidChange((conversation) => {
    const before = known.get(conversation) ?? [];
    const now = raised.list(conversation);
    if (now.length === 0) known.delete(conversation);
    else known.set(conversation, now);
    const isIn = (list: readonly RaisedHost[], { id }: RaisedHost): boolean =>
      list.some((one) => one.id === id);
    for (const host of now) if (!isIn(before, host)) void note('hostRaised', host, conversation);
    for (const host of before) if (!isIn(now, host)) void note('hostLowered', host, conversation);
  });
}

/** Writes down how a command ended that went on behind its call, whose own row could not say so. Never rejects. */
export async function noteCommandEnd(
  record: ExecRecord,
  options: { readonly notes: ActNotes; readonly hosts: Pick<HostDirectory, 'get'> },
): Promise<void> {
  const { hostId, callId, command, status, exitCode, signal, durationMs, outputBytes, note } = record;
  const host = await options.hosts.get(hostId).catch(() => undefined);
  options.notes.note({
    what: 'commandEnded',
    actor: 'termind',
    facts: {
      command,
      call: callId,
      status,
      ...(exitCode === undefined ? {} : { exit: String(exitCode) }),
      ...(signal === undefined ? {} : { signal }),
      durationMs: String(durationMs),
      outputBytes: String(outputBytes),
      ...(note === undefined ? {} : { note }),
    },
    ...(host === undefined ? {} : { host: operationHost(host) }),
  });
}

/** Writes down when a forward begins to listen and when it stops. The caller disposes the result. */
export function noteForwards(
  registry: Pick<ForwardRegistry, 'onDidChange' | 'state' | 'started'>,
  notes: ActNotes,
): Disposable {
  const listening = new Map<ForwardId, ActNote>();
  return registry.onDidChange((id) => {
    const state = registry.state(id);
    const before = listening.get(id);
    if (state.k === 'listening' && before === undefined) {
      const forward = registry.started.find((one) => one.id === id);
      if (forward === undefined) return;
      const act: ActNote = {
        what: 'forwardStarted',
        actor: 'termind',
        facts: { forward: forwardText(forward), at: bindText(state.at) },
        host: operationHost(forward.host),
      };
      listening.set(id, act);
      notes.note(act);
    }
    if (state.k !== 'listening' && before !== undefined) {
      listening.delete(id);
      notes.note({ ...before, what: 'forwardStopped' });
    }
  });
}

function recordHost({ id, label, addresses, port, user, tier }: HostRecord): OperationHost {
  const address = `${addresses[0] ?? ''}${port === undefined ? '' : `:${String(port)}`}`;
  return { id, label, user: user ?? '', address, tier: tier ?? '' };
}

function changesOf(before: HostRecord | undefined, after: HostRecord): readonly ActNote[] {
  if (before === undefined) return [{ what: 'hostAdded', facts: {} }];
  const facts = (from: string | undefined, to: string | undefined): ActNote['facts'] => ({
    from: from ?? '',
    to: to ?? '',
  });
  const [old, now] = [recordHost(before), recordHost(after)];
  const acts: readonly (readonly [string, string, string])[] = [
    ['tierChanged', old.tier, now.tier],
    ['addressChanged', old.address, now.address],
    ['userChanged', old.user, now.user],
    ['filesMarkChanged', filesMark(before), filesMark(after)],
  ];
  return acts.flatMap(([what, from, to]) => (from === to ? [] : [{ what, facts: facts(from, to) }]));
}

function filesMark({ filesReadOnly }: HostRecord): string {
  return filesReadOnly === true ? 'read-only' : '';
}

function trusted({ name, port, keyType, keyBase64, origin, marker }: KnownHostRow): ActNote {
  const isPersons = origin !== 'accept-new' && origin !== 'rotation';
  return {
    what: marker === undefined ? 'hostKeyTrusted' : 'authorityTrusted',
    actor: isPersons ? 'person' : 'termind',
    facts: {
      name: marker === undefined ? knownHostsName(name, port) : name,
      key: `${keyType} ${fingerprintOf(Buffer.from(keyBase64, 'base64'))}`,
      origin,
    },
  };
}
