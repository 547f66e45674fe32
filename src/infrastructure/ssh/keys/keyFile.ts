import fs from 'node:fs/promises';
import { keyProblem } from '../../../domain/keys/keyProblem.ts';
import { parsePublicLine } from '../../../domain/keys/publicLine.ts';
import { maxKeyBytes, readKey, type ReadKey } from './readKey.ts';

/** A key file and what it turned out to be. */
export type KeyFile =
  | (Extract<ReadKey, { k: 'plain' }> & { readonly path: string; readonly blob: Uint8Array })
  | (Extract<ReadKey, { k: 'encrypted' }> & {
      readonly path: string;
      /** The plain public half, from the file itself or from the `.pub` beside it. Nothing proves yet that it fits. */
      readonly blob: Uint8Array | undefined;
    })
  | (Extract<ReadKey, { k: 'public' }> & {
      readonly path: string;
      /** The private file that lies beside it. */
      readonly privateFile: string | undefined;
    })
  | (Extract<ReadKey, { k: 'security-key' }> & { readonly path: string })
  | { readonly k: 'missing'; readonly path: string }
  | { readonly k: 'unreadable'; readonly path: string; readonly reason: string };

/** Reads a key file. Nothing but a regular file is opened. Never rejects. Source: ssh.md 2.4. */
export async function readKeyFile(path: string): Promise<KeyFile> {
  const bytes = await contentOf(path);
  if (!Buffer.isBuffer(bytes)) return { path, ...bytes };
  const read = await readKey(bytes);
  bytes.fill(0);
  switch (read.k) {
    case 'plain':
      return { ...read, path, blob: read.key.publicKey.blob };
    case 'encrypted':
      return { ...read, path, blob: read.open?.publicKey.blob ?? (await publicBlobBeside(path)) };
    case 'public':
      return { ...read, path, privateFile: await privateFileBeside(path) };
    case 'security-key':
      return { ...read, path };
    case 'unreadable':
      return { k: 'unreadable', path, reason: read.problem.reason };
  }
}

type Absent = { readonly k: 'missing' } | { readonly k: 'unreadable'; readonly reason: string };

async function contentOf(path: string): Promise<Buffer | Absent> {
  try {
    const facts = await fs.stat(path);
    if (!facts.isFile()) return { k: 'unreadable', reason: 'it is no file' };
    if (facts.size > maxKeyBytes) return { k: 'unreadable', reason: keyProblem('too-large').reason };
    return await fs.readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { k: 'missing' };
    const isDenied = code === 'EACCES' || code === 'EPERM';
    return { k: 'unreadable', reason: isDenied ? 'the file may not be read by this account' : code };
  }
}

async function publicBlobBeside(path: string): Promise<Uint8Array | undefined> {
  const bytes = await contentOf(`${path}.pub`);
  return Buffer.isBuffer(bytes) ? parsePublicLine(bytes.toString('utf8'))?.blob : undefined;
}

/** `id_ed25519` for `id_ed25519.pub` and `id_ed25519-cert.pub`, when a private key is in it. */
async function privateFileBeside(path: string): Promise<string | undefined> {
  const names = [path.replace(/\.pub$/, ''), path.replace(/-cert\.pub$/, '')];
  for (const name of new Set(names.filter((one) => one !== path))) {
    const bytes = await contentOf(name);
    if (!Buffer.isBuffer(bytes)) continue;
    const read = await readKey(bytes);
    bytes.fill(0);
    if (read.k === 'plain' || read.k === 'encrypted') return name;
  }
  return undefined;
}
