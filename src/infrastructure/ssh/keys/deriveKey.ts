import { Worker } from 'node:worker_threads';
import { abortReason } from '../../../agentkit/index.ts';
import type { Argon2Parameters } from '../../../domain/keys/ppk.ts';
import { KeyUnusable } from '../../../domain/keys/keyProblem.ts';
import type { BcryptPbkdfRequest } from './bcryptPbkdf.ts';

/** Whoever asks wipes the passphrase; the thread has a copy of its own and wipes that. */
export type DerivationRequest =
  | ({ readonly kind: 'bcrypt' } & BcryptPbkdfRequest)
  | (Argon2Parameters & { readonly passphrase: Uint8Array; readonly bytes: number });

/** What the thread sends back. */
export type DerivationAnswer =
  { readonly ok: true; readonly key: Uint8Array } | { readonly ok: false; readonly reason: string };

/** Half a minute of a slow machine; `ssh-keygen` makes 16 to 100. */
export const maxBcryptRounds = 4096;
/** Source: ssh.md 2.4. */
export const maxArgon2MemoryKiB = 1024 * 1024;
/** Memory times passes: 64 GiB written, about a minute. */
const maxArgon2Work = 64 * 1024 * 1024;
const maxArgon2Lanes = 255;

/**
 * A key from a passphrase, computed on a thread of its own that ends with the answer or with the signal. Rejects with `KeyUnusable`:
 * `too-costly` for parameters beyond the limits, which is found out first, `derivation-failed` when the machine cannot do it; or with the
 * signal's reason. The key is the caller's to wipe. Source: ssh.md 0.9 and 2.4.
 */
export async function deriveKey(request: DerivationRequest, signal: AbortSignal): Promise<Buffer> {
  refuseCost(request);
  signal.throwIfAborted();
  const worker = new Worker(workerFile());
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await answerOf(worker, request);
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function answerOf(worker: Worker, request: DerivationRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(new KeyUnusable('derivation-failed'));
    worker.once('message', (answer: DerivationAnswer) => {
      if (!answer.ok) return failed();
      resolve(Buffer.from(answer.key.buffer, answer.key.byteOffset, answer.key.byteLength));
    });
    worker.once('error', failed).once('exit', failed);
    worker.postMessage(request);
  });
}

function refuseCost(request: DerivationRequest): void {
  if (request.kind === 'bcrypt') {
    if (request.rounds > maxBcryptRounds)
      throw new KeyUnusable(
        'too-costly',
        `the file asks for ${request.rounds} rounds of bcrypt and at most ${maxBcryptRounds} are computed`,
      );
    return;
  }
  const { memoryKiB, passes, parallelism } = request;
  if (memoryKiB > maxArgon2MemoryKiB)
    throw new KeyUnusable('too-costly', 'the file asks for more than 1 GiB of memory to open it');
  if (memoryKiB * passes > maxArgon2Work || parallelism > maxArgon2Lanes)
    throw new KeyUnusable('too-costly', `the file asks for ${passes} passes of Argon2 over ${memoryKiB} KiB`);
}

/** Beside this file in the sources, beside the bundle once built. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return new URL(`./keyDerivation.worker${extension}`, import.meta.url);
}
