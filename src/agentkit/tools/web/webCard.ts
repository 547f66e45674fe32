import type { Redactor } from '../../redactor.ts';
import type { ApprovalSubject } from '../../tool.ts';
import { restrictedAddresses, type FetchTarget } from './fetchTarget.ts';
import type { WebHeader } from './requestHeaders.ts';

export interface WebCardFacts {
  readonly target: FetchTarget;
  readonly headers: readonly WebHeader[];
  /** Where it is saved, for `scratch_fetch`. */
  readonly savedAs?: string | undefined;
  /** The page that leads there, for a redirect. */
  readonly redirectedFrom?: string | undefined;
  readonly redactor: Redactor;
}

/**
 * What a card says of one request: the exact URL, where it leads, and with which headers. Values of headers that are secrets are
 * hidden here: the person decides by their names. Source: agent runtime contract, section 19.
 */
export function webSubject({
  target,
  headers,
  savedAs,
  redirectedFrom,
  redactor,
}: WebCardFacts): ApprovalSubject {
  const shown = redactor.redactJson(headers);
  return {
    action: `GET ${target.url}`,
    target: target.host,
    targetId: '',
    identity: '',
    tier: '',
    details: [
      ...(redirectedFrom === undefined ? [] : [{ label: 'Redirected from', value: redirectedFrom }]),
      ...restrictedAddresses(target).map(({ address, range }) => ({
        label: 'Address',
        value: `${address}: ${range}`,
      })),
      ...shown.map(({ name, value }) => ({ label: 'Header', value: `${name}: ${value}` })),
      ...(savedAs === undefined ? [] : [{ label: 'Saved in scratch as', value: savedAs }]),
    ],
  };
}

/** Why a request asks; the first is the main reason. */
export function webReasons(target: FetchTarget, redirectedFrom?: string): readonly string[] {
  const leads = restrictedAddresses(target)
    .map(({ address, range }) => `${address} (${range})`)
    .join(', ');
  return [
    `It does not go to the public internet: ${target.host} is ${leads}.`,
    ...(redirectedFrom === undefined ? [] : ['The page that was asked for leads there by a redirect.']),
  ];
}
