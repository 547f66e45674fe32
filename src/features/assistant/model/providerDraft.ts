import { z } from 'zod';
import type { ProviderKind } from '../../../application/providerKinds.ts';

/** What a person says about a model before it gets an id. */
export interface ProviderDraft {
  readonly label: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly model: string;
}

const idLength = 64;

/** A stable id made of the label; numbered when it is taken. Matches `^[a-z0-9][a-z0-9-]{0,63}$`. */
export function providerId(label: string, taken: ReadonlySet<string>): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, idLength - 4);
  const base = words === '' ? 'model' : words.replace(/-+$/, '');
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** The address as it is stored, without a slash at its end; undefined when it is none, or carries credentials. */
export function baseUrlOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '')
    return undefined;
  if (url.search !== '' || url.hash !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

const storedRow = z.looseObject({ id: z.string(), label: z.string().optional() });

/** Id and label of the rows a person can name; rows that cannot be read are left alone. */
export function storedProviders(raw: unknown): { readonly id: string; readonly label: string }[] {
  const rows: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return rows.flatMap((row) => {
    const parsed = storedRow.safeParse(row);
    return parsed.success ? [{ id: parsed.data.id, label: parsed.data.label ?? parsed.data.id }] : [];
  });
}

/** The setting with one more row. Rows that are there stay as they are, also those this version cannot read. */
export function withProvider(
  raw: unknown,
  draft: ProviderDraft,
): { readonly setting: readonly unknown[]; readonly id: string } {
  const rows: readonly unknown[] = Array.isArray(raw) ? raw : [];
  const id = providerId(draft.label, new Set(storedProviders(raw).map((provider) => provider.id)));
  return { setting: [...rows, { id, ...draft }], id };
}
