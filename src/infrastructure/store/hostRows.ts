import { z } from 'zod';
import type {
  HostFacts,
  HostRecord,
  HostRoute,
  IdentityRef,
  LegacyChoice,
  SignInChoice,
} from '../../domain/host/host.ts';
import { asForwardId, type ForwardSpec } from '../../domain/forward/forward.ts';
import { parseHostId } from '../../domain/host/hostId.ts';

const hostId = z.string().transform((text, context) => {
  const id = parseHostId(text);
  if (id !== undefined) return id;
  context.addIssue('not a host id');
  return z.NEVER;
});

const identity = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('default') }),
    z.object({ kind: z.literal('keyFile'), path: z.string() }),
    z.object({ kind: z.literal('agent') }),
    z.object({ kind: z.literal('password'), credentialId: z.string().optional() }),
  ])
  .transform((ref): IdentityRef =>
    ref.kind === 'password' ? { kind: 'password', credentialId: ref.credentialId } : ref,
  );

const signIn: z.ZodType<SignInChoice> = z.object({
  passwordRef: z.exactOptional(z.string()),
  attemptLimit: z.exactOptional(z.int().min(1)),
  agentForwarding: z.exactOptional(
    z.object({
      isOn: z.boolean(),
      keys: z.exactOptional(z.array(z.string()).readonly()),
      confirm: z.exactOptional(z.boolean()),
    }),
  ),
});

const legacy: z.ZodType<LegacyChoice> = z.object({
  algorithms: z.array(z.string()).readonly(),
  reason: z.exactOptional(z.string()),
});

const route: z.ZodType<HostRoute> = z.object({
  jump: z.exactOptional(z.string()),
  command: z.exactOptional(z.string()),
  proxy: z.exactOptional(
    z.object({
      kind: z.enum(['socks4a', 'socks5', 'http']),
      host: z.string(),
      port: z.int().min(1).max(65_535),
      user: z.exactOptional(z.string()),
      secretRef: z.exactOptional(z.string()),
    }),
  ),
});

const port = z.int().min(1).max(65_535);
const socket = z.object({ path: z.string() });

const forward: z.ZodType<ForwardSpec> = z
  .object({
    id: z.string(),
    kind: z.enum(['local', 'remote', 'dynamic']),
    bind: z.union([
      socket,
      z.object({ host: z.exactOptional(z.string()), port: z.int().min(0).max(65_535) }),
    ]),
    destination: z.union([socket, z.object({ host: z.string(), port })]).optional(),
    label: z.exactOptional(z.string()),
    autoStart: z.enum(['never', 'withConnection', 'firstUse']),
    mayOthersConnect: z.exactOptional(z.literal(true)),
  })
  .transform((row) => ({ ...row, id: asForwardId(row.id), destination: row.destination }));

const shellFamily = z.enum(['posix', 'powershell', 'cmd', 'network-cli', 'menu', 'unknown']);

/** A host as its JSON column holds it: absent keys are unknown values. The revision is a column of its own. */
export const storedHost = z
  .object({
    id: hostId,
    label: z.string(),
    addresses: z.array(z.string()).readonly(),
    port: z.int().min(1).max(65_535).optional(),
    user: z.string().optional(),
    identity,
    tier: z.enum(['prod', 'stage', 'dev']).optional(),
    group: z.string().optional(),
    tags: z.array(z.string()).readonly(),
    alias: z.string().optional(),
    route: z.exactOptional(route),
    signIn: z.exactOptional(signIn),
    legacy: z.exactOptional(legacy),
    forwards: z.exactOptional(z.array(forward).readonly()),
    shellFamily: z.exactOptional(shellFamily),
    useSystemSsh: z.exactOptional(z.literal(true)),
    filesReadOnly: z.exactOptional(z.literal(true)),
  })
  .transform((host): Omit<HostRecord, 'revision'> => ({
    id: host.id,
    label: host.label,
    addresses: host.addresses,
    port: host.port,
    user: host.user,
    identity: host.identity,
    tier: host.tier,
    group: host.group,
    tags: host.tags,
    alias: host.alias,
    ...(host.route === undefined ? {} : { route: host.route }),
    ...(host.signIn === undefined ? {} : { signIn: host.signIn }),
    ...(host.legacy === undefined ? {} : { legacy: host.legacy }),
    ...(host.forwards === undefined ? {} : { forwards: host.forwards }),
    ...(host.useSystemSsh === undefined ? {} : { useSystemSsh: host.useSystemSsh }),
    ...(host.shellFamily === undefined ? {} : { shellFamily: host.shellFamily }),
    ...(host.filesReadOnly === undefined ? {} : { filesReadOnly: host.filesReadOnly }),
  }));

export const storedFacts: z.ZodType<HostFacts> = z.object({
  shellFamily: z.exactOptional(shellFamily),
  loginShell: z.exactOptional(z.string()),
  os: z.exactOptional(z.string()),
  home: z.exactOptional(z.string()),
  channels: z.exactOptional(
    z.object({
      limit: z.exactOptional(z.int().positive()),
      oneCommand: z.exactOptional(z.literal(true)),
      at: z.number(),
    }),
  ),
  files: z.exactOptional(
    z.object({
      way: z.exactOptional(z.enum(['command', 'shell', 'none'])),
      program: z.exactOptional(z.string()),
      refused: z.exactOptional(z.array(z.string()).readonly()),
      at: z.number(),
    }),
  ),
});

export const storedConnect = z
  .object({ host_id: hostId, at: z.number(), ok: z.number() })
  .transform((row) => ({ hostId: row.host_id, at: row.at, ok: row.ok === 1 }));
