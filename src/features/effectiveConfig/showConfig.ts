import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { ConfigQuestion } from '../../application/ports/hosts.ts';
import type { LoadCause, PagesPort } from '../../application/ports/pages.ts';
import { overriddenKeywords } from '../../domain/config/overridden.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import type { PageDocument } from '../../domain/page/pageDocument.ts';
import { PageView } from '../../ids.ts';
import { configDocument } from './configDocument.ts';
import type { ConfigServices } from './configServices.ts';
import { openLine } from './openLine.ts';

/** Opens the page about one host. */
export function showConfig(host: HostListing, services: ConfigServices, pages: PagesPort): Promise<void> {
  let shown: PageDocument | undefined;
  const load = async (signal: AbortSignal, cause: LoadCause): Promise<PageDocument> => {
    if (cause === 'again' && shown !== undefined && (await wouldAsk(services))) return outdated(shown);
    const document = await loadConfig(host, services, signal);
    shown = document;
    return document;
  };
  return pages.open({
    kind: PageView.effectiveConfig,
    key: host.id,
    tabTitle: vscode.l10n.t('SSH Configuration: {0}', host.label),
    icon: 'list-tree',
    load,
    onDidChange: services.sshConfig.onDidChange,
    act: async (action) => {
      const place = openLine.parse(action);
      if (place !== undefined) await openLine.open(place);
    },
  });
}

/** A file runs programs that nobody has decided about: resolving would ask, and a change of a file must not. */
async function wouldAsk({ sshConfig }: ConfigServices): Promise<boolean> {
  return (await sshConfig.programs()).some(({ consent }) => consent === undefined);
}

function outdated(document: PageDocument): PageDocument {
  const text = vscode.l10n.t('The files have changed. Reload to see what holds now.');
  return { ...document, notices: [{ tone: 'warning', text }, ...document.notices] };
}

async function loadConfig(
  shown: HostListing,
  services: ConfigServices,
  signal: AbortSignal,
): Promise<PageDocument> {
  const host = await services.hosts.get(shown.id);
  if (host === undefined) throw localFault('unknown-host');
  const record = await services.hostStore.get(host.id);
  const question = questionOf(host, record);
  const explanation = await services.sshConfig.explain(question, signal);
  const home = homedir();
  return configDocument({
    label: host.label,
    asked: question.alias,
    explanation,
    overridden: overriddenKeywords(record),
    shorten: (path) => (path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path),
  });
}

/** What connecting to this host asks the configuration. Source: decisions 14. */
function questionOf({ alias, address }: HostListing, record: HostRecord | undefined): ConfigQuestion {
  if (record === undefined) return { alias: alias ?? address };
  return {
    alias: record.alias ?? record.addresses[0] ?? address,
    ...(record.user === undefined ? {} : { user: record.user }),
    ...(record.port === undefined ? {} : { port: record.port }),
  };
}
