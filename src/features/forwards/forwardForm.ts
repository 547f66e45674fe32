import * as vscode from 'vscode';
import type { KnownForward } from '../../application/forwards/knownForward.ts';
import {
  needsConsent,
  newForwardId,
  type AutoStart,
  type ForwardKind,
  type ForwardPlace,
  type ForwardSpec,
} from '../../domain/forward/forward.ts';
import { bindText, endText, forwardText } from '../../domain/forward/forwardText.ts';
import { readBind, readDestination, readForward } from '../../domain/forward/readForward.ts';
import { autoStartText, kindText, problemText } from './forwardTexts.ts';

/** Asks for a forward, one field after the other or in one line; each is checked while one types. Undefined when the person leaves. */
export async function askForward(
  host: { readonly label: string },
  known?: KnownForward,
): Promise<ForwardSpec | undefined> {
  const title =
    known === undefined
      ? vscode.l10n.t('Add Forward to {0}', host.label)
      : vscode.l10n.t('Edit Forward of {0}', host.label);
  const kind = await askKind(title, known);
  if (kind === undefined) return undefined;
  const place = kind === 'line' ? await askLine(title, known) : await askPlace(title, kind, known);
  if (place === undefined) return undefined;
  const mayOthersConnect = needsConsent(place) ? await askWideBinding(host, place) : false;
  if (mayOthersConnect === undefined) return undefined;
  const label = await askText(title, {
    prompt: vscode.l10n.t('Name in the list; empty shows where it leads'),
    value: known?.label ?? '',
    problem: () => undefined,
  });
  if (label === undefined) return undefined;
  const autoStart = await askAutoStart(title, known);
  if (autoStart === undefined) return undefined;
  return {
    ...place,
    id: known?.id ?? newForwardId(),
    autoStart,
    ...(label === '' ? {} : { label }),
    ...(mayOthersConnect ? { mayOthersConnect } : {}),
  };
}

/** A modal question whose answer is no unless a person says otherwise; undefined is no. */
export async function askWideBinding(
  host: { readonly label: string },
  place: ForwardPlace,
): Promise<true | undefined> {
  const refuse = vscode.l10n.t('Do Not Listen');
  const allow = vscode.l10n.t('Let Others Connect');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('May other machines of your network connect through this forward of {0}?', host.label),
    {
      modal: true,
      detail: vscode.l10n.t(
        '{0} listens on an address that others can reach. Whoever connects gets to the destination as you do. Leave the address out to keep it to this machine.',
        forwardText(place),
      ),
    },
    refuse,
    allow,
  );
  return answer === allow ? true : undefined;
}

async function askKind(
  title: string,
  known: KnownForward | undefined,
): Promise<ForwardKind | 'line' | undefined> {
  const kinds = (['local', 'remote', 'dynamic'] as const).map((id) => ({ id, label: kindText(id) }));
  const items = [...kinds, { id: 'line' as const, label: vscode.l10n.t('In one line, as ssh spells it…') }];
  const first = items.filter(({ id }) => id === known?.kind);
  const picked = await vscode.window.showQuickPick(
    [...first, ...items.filter((item) => !first.includes(item))],
    { title, placeHolder: vscode.l10n.t('Who listens?'), ignoreFocusOut: true },
  );
  return picked?.id;
}

async function askLine(title: string, known: KnownForward | undefined): Promise<ForwardPlace | undefined> {
  const text = await askText(title, {
    prompt: vscode.l10n.t('As behind ssh: -L 8080:db.example.com:5432, -R 9000:localhost:3000 or -D 1080'),
    value: known === undefined ? '-L ' : forwardText(known),
    problem: (value) => {
      const read = readForward(value, 'local');
      return read.ok ? undefined : problemText(read.problem);
    },
  });
  const read = text === undefined ? undefined : readForward(text, 'local');
  return read?.ok === true ? read.place : undefined;
}

async function askPlace(
  title: string,
  kind: ForwardKind,
  known: KnownForward | undefined,
): Promise<ForwardPlace | undefined> {
  const same = known?.kind === kind ? known : undefined;
  const from = await askText(title, {
    prompt:
      kind === 'remote'
        ? vscode.l10n.t(
            'Where does the server listen? A port, address:port or the path of a socket; port 0 lets it choose',
          )
        : vscode.l10n.t('Where does this machine listen? A port, address:port or the path of a socket'),
    value: same === undefined ? '' : bindText(same.bind),
    problem: (value) => {
      const read = readBind(value, kind);
      return 'k' in read ? problemText(read) : undefined;
    },
  });
  const bind = from === undefined ? undefined : readBind(from, kind);
  if (bind === undefined || 'k' in bind) return undefined;
  if (kind === 'dynamic') return { kind, bind: bind.bind, destination: undefined };
  const to = await askText(title, {
    prompt:
      kind === 'remote'
        ? vscode.l10n.t('Where does it lead, seen from this machine? host:port or the path of a socket')
        : vscode.l10n.t('Where does it lead, seen from the server? host:port or the path of a socket'),
    value: same?.destination === undefined ? 'localhost:' : endText(same.destination),
    problem: (value) => {
      const read = readDestination(value);
      if (!('k' in read)) return undefined;
      return read.k === 'form'
        ? vscode.l10n.t('Write host:port, for example localhost:5432, or the full path of a socket.')
        : problemText(read);
    },
  });
  const destination = to === undefined ? undefined : readDestination(to);
  if (destination === undefined || 'k' in destination) return undefined;
  return { kind, bind: bind.bind, destination: destination.destination };
}

async function askAutoStart(title: string, known: KnownForward | undefined): Promise<AutoStart | undefined> {
  const items = (['never', 'withConnection', 'firstUse'] as const).map((id) => ({
    id,
    label: autoStartText(id),
  }));
  const first = items.filter(({ id }) => id === known?.autoStart);
  const picked = await vscode.window.showQuickPick(
    [...first, ...items.filter((item) => !first.includes(item))],
    { title, placeHolder: vscode.l10n.t('When does it start?'), ignoreFocusOut: true },
  );
  return picked?.id;
}

async function askText(
  title: string,
  field: {
    readonly prompt: string;
    readonly value: string;
    readonly problem: (value: string) => string | undefined;
  },
): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: field.prompt,
    value: field.value,
    valueSelection: [field.value.length, field.value.length],
    ignoreFocusOut: true,
    validateInput: field.problem,
  });
  return text?.trim();
}
