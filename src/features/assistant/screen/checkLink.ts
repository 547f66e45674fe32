import { Scheme } from '../../../ids.ts';

/** A link that may be opened, and how. */
export type CheckedLink =
  | { readonly kind: 'external'; readonly url: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'file'; readonly path: string; readonly line: number; readonly column: number };

/**
 * Judges a link of a model: web pages without credentials in the address, our own two schemes, and positions in files of the open
 * folders (`file:///folder/name#L12,3`). Everything else is undefined. A file on another machine (`file://machine/…`) is refused,
 * because opening it may send the person's credentials there; so is one of a host that asks for another user's rights. Source: vscode.md section 5.
 */
export function checkLink(text: string, openFolders: readonly string[]): CheckedLink | undefined {
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return url.username === '' && url.password === '' && url.hostname !== ''
        ? { kind: 'external', url: url.href }
        : undefined;
    case `${Scheme.scratch}:`:
      return { kind: 'resource', uri: url.href };
    case `${Scheme.sftp}:`:
      return url.search === '' ? { kind: 'resource', uri: url.href } : undefined;
    case 'file:':
      return filePosition(url, openFolders);
    default:
      return undefined;
  }
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function filePosition(url: URL, openFolders: readonly string[]): CheckedLink | undefined {
  if (url.host !== '') return undefined;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  const isInside = openFolders.some((folder) =>
    path.startsWith(folder.endsWith('/') ? folder : `${folder}/`),
  );
  if (!isInside || path.includes('\0') || /[\\]/.test(path) || path.split('/').includes('..'))
    return undefined;
  const position = /^#L(\d{1,7})(?:,(\d{1,7}))?$/.exec(url.hash);
  return {
    kind: 'file',
    path,
    line: Math.max(1, Number(position?.[1] ?? 1)),
    column: Math.max(1, Number(position?.[2] ?? 1)),
  };
}
