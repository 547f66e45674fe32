import { l10n } from 'vscode';
import type { SshDebug } from '../../application/ports/hosts.ts';
import type { PageBlock, PageLine, PageSection } from '../../domain/page/pageDocument.ts';
import {
  lastWordsOfDebug,
  sightingFields,
  sightingOfDebug,
  type Sighting,
  type SightingField,
} from '../../domain/ssh/sighting.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';

/** `ssh -vvv` writes a few hundred lines. */
const written = { maxCharacters: 262_144, maxLines: 2_000 };

/** What Termind and `ssh -vvv` saw, side by side. Source: ssh.md 1.10. */
export function comparisonSection(own: Sighting, debug: SshDebug): PageSection {
  return { title: l10n.t('Compared with ssh'), blocks: blocksOf(own, debug) };
}

function blocksOf(own: Sighting, debug: SshDebug): readonly PageBlock[] {
  const text = (line: PageLine): PageBlock => ({ k: 'text', line });
  switch (debug.k) {
    case 'notRun':
      return [text([notRunText(debug.why)])];
    case 'refused':
      return [text([l10n.t('ssh refuses its configuration:'), { code: debug.why }])];
    case 'ran': {
      const ssh = sightingOfDebug(debug.text);
      const lastWords = ssh.signedInBy === undefined ? lastWordsOfDebug(debug.text) : '';
      const ended = text([l10n.t('ssh did not sign in without questions, and said:'), { code: lastWords }]);
      return [
        tableOf(own, ssh),
        ...(lastWords === '' ? [] : [ended]),
        {
          k: 'details',
          summary: l10n.t('What ssh -vvv wrote'),
          blocks: [{ k: 'code', label: 'ssh -vvv', text: showUntrusted(debug.text, written) }],
        },
      ];
    }
  }
}

function tableOf(own: Sighting, ssh: Sighting): PageBlock {
  const cell = (value: string | undefined): readonly PageLine[] =>
    value === undefined ? [[{ quiet: l10n.t('not told') }]] : [[{ code: value }]];
  return {
    k: 'table',
    caption: l10n.t('Compared with ssh'),
    columns: [l10n.t('What'), 'Termind', 'ssh', l10n.t('Result')],
    rows: sightingFields.map((field) => ({
      cells: [[[fieldText(field)]], cell(own[field]), cell(ssh[field]), [resultOf(own[field], ssh[field])]],
    })),
  };
}

function resultOf(own: string | undefined, ssh: string | undefined): PageLine {
  if (own === undefined || ssh === undefined) return [{ quiet: l10n.t('not compared') }];
  return own === ssh
    ? [{ badge: l10n.t('equal'), tone: 'good' }]
    : [{ badge: l10n.t('different'), tone: 'warning' }];
}

function fieldText(field: SightingField): string {
  switch (field) {
    case 'address':
      return l10n.t('Address');
    case 'software':
      return l10n.t('Server software');
    case 'kex':
      return l10n.t('Key exchange');
    case 'hostKeyAlgorithm':
      return l10n.t('Host key algorithm');
    case 'cipher':
      return l10n.t('Encryption');
    case 'hostKey':
      return l10n.t('Host key');
    case 'knownAt':
      return l10n.t('Line that knows the host key');
    case 'offeredKeys':
      return l10n.t('Keys offered');
    case 'signedInBy':
      return l10n.t('Signed in by');
  }
}

function notRunText(why: Extract<SshDebug, { readonly k: 'notRun' }>['why']): string {
  switch (why) {
    case 'noProgram':
      return l10n.t('There is no ssh on this computer.');
    case 'untrusted':
      return l10n.t('This folder is not trusted, so ssh is not started.');
    case 'programs':
      return l10n.t('The configuration runs programs that you have not allowed, so ssh is not started.');
  }
}
