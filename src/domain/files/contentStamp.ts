import { hash } from 'node:crypto';
import type { FileAttributes } from './fileAttributes.ts';

/** What a file held at some moment. Two stamps are of the same content when their digests are equal, whatever the rest says. */
export interface ContentStamp {
  /** Of the whole content, in hexadecimal. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Whole seconds since 1970 as the server told them; undefined when it did not. Decides nothing. Source: ssh.md 8.5, "Conflict". */
  readonly mtime: number | undefined;
}

/** `attributes`: of the file that holds the content. */
export function stampOf(content: Uint8Array, attributes: Pick<FileAttributes, 'times'> = {}): ContentStamp {
  return { sha256: sha256Of(content), size: content.length, mtime: attributes.times?.modified };
}

/** In hexadecimal. */
export function sha256Of(content: Uint8Array): string {
  return hash('sha256', content, 'hex');
}
