import { parentPort } from 'node:worker_threads';
import { argon2d, argon2i, argon2id } from 'hash-wasm';
import { bcryptPbkdf } from './bcryptPbkdf.ts';
import type { DerivationAnswer, DerivationRequest } from './deriveKey.ts';

const argon2 = { argon2d, argon2i, argon2id };

/** A thread that answers one request. */
parentPort?.once('message', (request: DerivationRequest) => {
  void derive(request)
    .then(
      (key): DerivationAnswer => ({ ok: true, key }),
      (error: unknown): DerivationAnswer => ({ ok: false, reason: String(error) }),
    )
    .then((answer) => parentPort?.postMessage(answer));
});

async function derive(request: DerivationRequest): Promise<Uint8Array> {
  try {
    if (request.kind === 'bcrypt') return bcryptPbkdf(request);
    return await argon2[request.kind]({
      password: request.passphrase,
      salt: request.salt,
      iterations: request.passes,
      parallelism: request.parallelism,
      memorySize: request.memoryKiB,
      hashLength: request.bytes,
      outputType: 'binary',
    });
  } finally {
    request.passphrase.fill(0);
  }
}
