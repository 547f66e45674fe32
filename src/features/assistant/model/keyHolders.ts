import { providerKey } from '../../../application/providerKinds.ts';
import { readWebSearch, searchKey } from '../../../application/webSearchConfig.ts';
import { storedProviders } from './providerDraft.ts';

/** Something of the settings that may have a key. */
export interface KeyHolder {
  readonly id: string;
  readonly label: string;
  /** Where its key lives in the secret storage. */
  readonly key: string;
}

/** The models that are set up, and behind them the search service, under `searchLabel`. */
export function keyHolders(
  settings: { readonly providers: unknown; readonly webSearch: unknown },
  searchLabel: string,
): readonly KeyHolder[] {
  const models = storedProviders(settings.providers).map(({ id, label }) => ({
    id,
    label,
    key: providerKey(id),
  }));
  const search = readWebSearch(settings.webSearch, () => {});
  if (search === undefined) return models;
  return [...models, { id: search.service, label: searchLabel, key: searchKey(search.service) }];
}
