import type { AuthIdentity } from '../../domain/ssh/authIdentity.ts';
import { fingerprintOf, keyTypeOf } from '../../domain/trust/hostKey.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { AgentClient, AgentIdentity } from './agentClient.ts';
import { readKeyFile, type KeyFile } from './keyFile.ts';
import type { Ssh2 } from './ssh2Library.ts';

/** An identity and where its signatures come from. */
export interface FoundIdentity {
  readonly identity: AuthIdentity;
  readonly from:
    | { readonly k: 'agent'; readonly agent: AgentClient; readonly blob: Uint8Array }
    | { readonly k: 'file'; readonly file: KeyFile & { readonly k: 'plain' | 'encrypted' } };
}

/** Everything found for a target, and why something that was configured cannot be used. */
export interface FoundIdentities {
  readonly identities: readonly FoundIdentity[];
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
  /** Why there is no agent although one was wanted. */
  readonly agentProblem: string | undefined;
}

/**
 * Reads the key files of a target and lists its agent. A public half in place of a key selects the same key in the agent. Rejects only
 * on abort. Source: ssh.md 2.1, 2.3; AG-1.
 */
export async function findIdentities(
  source: { readonly ssh2: Ssh2; readonly target: Target; readonly agent: AgentClient | undefined },
  signal: AbortSignal,
): Promise<FoundIdentities> {
  const { ssh2, target, agent } = source;
  const candidates = target.identities.filter((candidate) => candidate.kind === 'keyFile');
  const wantsAgent = target.identities.some((candidate) => candidate.kind === 'agent');
  const [files, held] = await Promise.all([
    Promise.all(
      candidates.map(async (candidate) => ({
        file: await readKeyFile(ssh2, candidate.path),
        isConfigured: candidate.configured,
      })),
    ),
    wantsAgent ? listAgent(agent, signal) : { keys: [], problem: undefined },
  ]);
  const configuredBlobs = new Set(
    files.flatMap(({ file, isConfigured }) => (isConfigured ? blobOf(file) : [])).map(fingerprintOf),
  );
  return {
    identities: [
      ...held.keys.map((key) => agentIdentity(key, { agent: key.agent, configuredBlobs })),
      ...files.flatMap(({ file, isConfigured }) => fileIdentity(file, isConfigured)),
    ],
    problems: files.flatMap(({ file, isConfigured }) => problemOf(file, { isConfigured, held: held.keys })),
    agentProblem: held.problem,
  };
}

type HeldKey = AgentIdentity & { readonly agent: AgentClient };

async function listAgent(
  agent: AgentClient | undefined,
  signal: AbortSignal,
): Promise<{ readonly keys: readonly HeldKey[]; readonly problem: string | undefined }> {
  if (agent === undefined) return { keys: [], problem: 'no agent is running' };
  try {
    return { keys: (await agent.list(signal)).map((key) => ({ ...key, agent })), problem: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return { keys: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

function blobOf(file: KeyFile): readonly Uint8Array[] {
  return 'blob' in file && file.blob !== undefined ? [file.blob] : [];
}

function agentIdentity(
  key: HeldKey,
  { agent, configuredBlobs }: { readonly agent: AgentClient; readonly configuredBlobs: ReadonlySet<string> },
): FoundIdentity {
  const fingerprint = fingerprintOf(key.blob);
  return {
    identity: {
      id: `agent ${fingerprint}`,
      source: 'agent',
      isConfigured: configuredBlobs.has(fingerprint),
      needsPrompt: false,
      fingerprint,
      keyType: keyTypeOf(key.blob),
      label: key.comment,
    },
    from: { k: 'agent', agent, blob: key.blob },
  };
}

function fileIdentity(file: KeyFile, isConfigured: boolean): readonly FoundIdentity[] {
  if (file.k !== 'plain' && file.k !== 'encrypted') return [];
  const { blob } = file;
  return [
    {
      identity: {
        id: `file ${file.path}`,
        source: 'keyFile',
        isConfigured,
        needsPrompt: file.k === 'encrypted',
        fingerprint: blob === undefined ? undefined : fingerprintOf(blob),
        keyType: blob === undefined ? undefined : keyTypeOf(blob),
        label: file.path,
      },
      from: { k: 'file', file },
    },
  ];
}

/** Default files may be missing or odd without a word; what was configured may not. */
function problemOf(
  file: KeyFile,
  { isConfigured, held }: { readonly isConfigured: boolean; readonly held: readonly HeldKey[] },
): FoundIdentities['problems'] {
  if (!isConfigured) return [];
  switch (file.k) {
    case 'missing':
      return [{ path: file.path, reason: 'there is no such file' }];
    case 'unreadable':
      return [{ path: file.path, reason: file.reason }];
    case 'public': {
      const isHeld = held.some((key) => Buffer.compare(key.blob, file.blob) === 0);
      const reason = 'this is the public half and no agent holds the key; choose the private file beside it';
      return isHeld ? [] : [{ path: file.path, reason }];
    }
    case 'plain':
    case 'encrypted':
      return [];
  }
}
