import { passwordRefOf, type HostRecord } from './host.ts';

/**
 * Where a vault host keeps its password, and whose password that is, as one reading of its record says. A reference stands for one
 * password for ever: another password gets another one, so that whoever still holds the old reference never gets the new password.
 * Source: ssh.md 10.2.
 */
export interface PasswordPlace {
  /** Undefined when none is kept. */
  readonly reference: string | undefined;
  /** The machine and the account: equal for equal. */
  readonly account: string;
}

export function passwordPlaceOf(record: HostRecord): PasswordPlace {
  const { alias, addresses, port, user } = record;
  return { reference: passwordRefOf(record), account: JSON.stringify([alias, addresses, port, user]) };
}

/** The record with another reference: in its identity when that is a password, else beside it. */
export function withPasswordRef(record: HostRecord, reference: string): HostRecord {
  return record.identity.kind === 'password'
    ? { ...record, identity: { kind: 'password', credentialId: reference } }
    : { ...record, signIn: { ...record.signIn, passwordRef: reference } };
}
