import { connectionFault } from '../../src/domain/ssh/connectionFault.ts';
import { diagnose } from '../../src/domain/ssh/diagnose.ts';
import type { Fault } from '../../src/domain/fault.ts';
import { faultModelText } from '../../src/domain/fault.ts';
import { ConnectTrace, type AlgorithmLists, type TraceFact } from '../../src/domain/ssh/trace.ts';
import { agreedUsually } from './algorithms.ts';
import { doctorDocument } from './plainEditor.ts';

type Timed = readonly [atMs: number, fact: TraceFact];

const ours: AlgorithmLists = {
  kex: ['mlkem768x25519-sha256', 'curve25519-sha256', 'ecdh-sha2-nistp256'],
  hostKey: ['ssh-ed25519', 'rsa-sha2-512'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-ctr'],
  mac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-256'],
  compression: ['none'],
};
const old: AlgorithmLists = {
  ...ours,
  kex: ['curve25519-sha256'],
  cipher: ['aes256-cbc', '3des-cbc', 'a-name-that-is-made-up-and-longer-than-any-column@example.com'],
};
const known = { keyType: 'ssh-ed25519', fingerprint: 'SHA256:uNiVztksCsDhcc0u9e8BrwyKw3mGXhMlSH6U0m5IiSs' };

const opening: readonly Timed[] = [
  [0, { k: 'carrier', kind: 'direct', via: undefined }],
  [4, { k: 'address', address: '2001:db8::7', port: 22, result: 'failed', reason: 'EHOSTUNREACH' }],
  [12, { k: 'address', address: '192.0.2.7', port: 22, result: 'connected', reason: undefined }],
  [18, { k: 'identification', side: 'ours', text: 'SSH-2.0-Termind' }],
  [18, { k: 'identification', side: 'theirs', text: 'SSH-2.0-OpenSSH_7.4 \\x1b[31mred' }],
  [19, { k: 'leftOut', keyword: 'ciphers', names: ['chacha20-poly1305@openssh.com'] }],
  [19, { k: 'offered', side: 'ours', lists: ours }],
];

const toSignIn: readonly Timed[] = [
  ...opening,
  [24, { k: 'offered', side: 'theirs', lists: ours }],
  [31, { k: 'hostKey', ...known, decision: 'accepted by file', at: '/home/op/.ssh/known_hosts:12' }],
  [33, { k: 'agreed', algorithms: agreedUsually }],
  [40, { k: 'methods', offered: ['publickey', 'password'], isPartial: false }],
  [42, { k: 'agent', endpoint: '/run/user/1000/agent.sock', result: 'answers, 2 keys' }],
];

const refusedKey: TraceFact = {
  k: 'identity',
  method: 'publickey',
  label: 'deploy@laptop',
  fingerprint: 'SHA256:3tVbR5eXyQ0yq2E2sJ1fS2j3kQm2Zp8m4nYwC2y0b7k',
  source: 'agent',
  result: 'refused',
};

function traceOf(hop: string, steps: readonly Timed[]): ConnectTrace {
  let now = 0;
  const trace = new ConnectTrace(() => now);
  for (const [atMs, fact] of steps) {
    now = atMs;
    trace.add(hop, fact);
  }
  return trace;
}

function failing(hop: string, steps: readonly Timed[], fault: Fault): ConnectTrace {
  const last = (steps.at(-1)?.[0] ?? 0) + 1;
  return traceOf(hop, [
    ...steps,
    [last, { k: 'ended', code: fault.code, reason: faultModelText[fault.code](fault.facts) }],
  ]);
}

const page = (
  traces: readonly ConnectTrace[],
  fault: Fault | undefined,
  more: Partial<Pick<Parameters<typeof doctorDocument>[0], 'negotiated' | 'shellStartMs' | 'ssh'>> = {},
): ReturnType<typeof doctorDocument> =>
  doctorDocument({
    label: 'web-1',
    startedAt: '30 Nov 2026, 20:00:00',
    diagnosis: diagnose(traces, fault),
    negotiated: undefined,
    shellStartMs: undefined,
    ssh: undefined,
    describeFault: ({ code, facts }) => faultModelText[code](facts),
    ...more,
  });

const noCipher = connectionFault(
  'no-common-algorithm',
  { stage: 'kex', hop: 'deploy@web-1' },
  { category: 'cipher', theirs: 'aes256-cbc', legacy: 'aes256-cbc' },
);
const gate = 'guard@gate (hop 1 of 2)';
const refused = connectionFault(
  'auth-failed',
  { stage: 'auth', hop: gate },
  { tried: 'deploy@laptop: refused' },
);

/** Traces of attempts, with their faults, as the transport records them. */
export const attempts = {
  noCipher: {
    traces: [
      failing('deploy@web-1', [...opening, [24, { k: 'offered', side: 'theirs', lists: old }]], noCipher),
    ],
    fault: noCipher,
  },
  refusedAtGate: {
    traces: [failing(gate, [...toSignIn, [60, refusedKey]], refused), traceOf('', [])],
    fault: refused,
  },
} as const;

/** Pages of the doctor, by what they show. */
export const doctorPages = {
  noCipher: page(attempts.noCipher.traces, noCipher),
  refusedAtGate: page(attempts.refusedAtGate.traces, refused),
  connected: page(
    [
      traceOf('deploy@web-1', [
        ...toSignIn,
        [60, refusedKey],
        [70, { k: 'asked', what: 'password' }],
        [8_070, { k: 'asked', what: undefined }],
        [12_400, { k: 'signedIn', by: 'password' }],
        [12_900, { k: 'channelRefused', reason: 2, text: 'open failed' }],
      ]),
    ],
    undefined,
    {
      shellStartMs: 640,
      ssh: {
        k: 'ran',
        text: [
          'debug1: Connecting to web-1 [192.0.2.7] port 22.',
          'debug1: kex: algorithm: sntrup761x25519-sha512@openssh.com',
          'debug1: Offering public key: deploy@laptop ED25519 SHA256:other agent',
          'deploy@192.0.2.7: Permission denied (publickey,password).',
        ].join('\r\n'),
      },
      negotiated: {
        user: 'deploy',
        address: '192.0.2.7',
        port: 22,
        serverIdentification: 'SSH-2.0-OpenSSH_9.2p1',
        hostKeyType: known.keyType,
        hostKeyFingerprint: known.fingerprint,
        authenticatedBy: 'password',
        algorithms: { ...agreedUsually, kex: 'curve25519-sha256' },
        agent: '/run/user/1000/agent.sock',
        forwardedAgent: undefined,
      },
    },
  ),
  beforeAnyServer: page(
    [],
    connectionFault(
      'config-error',
      { stage: 'resolve', hop: '' },
      { reason: '~/.ssh/config:4: no', at: '~/.ssh/config:4' },
    ),
  ),
  nothing: page([], undefined),
} as const;
