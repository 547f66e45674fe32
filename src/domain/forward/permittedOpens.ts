import { readPort } from '../config/scalars.ts';

/** Where clients of a remote SOCKS forward may go. Source: ssh_config(5), PermitRemoteOpen. */
export type PermittedOpens =
  | 'any'
  | readonly {
      /** `*` = every name and address; no other pattern, and nothing is looked up. */
      readonly host: string;
      /** Undefined = every port. */
      readonly port: number | undefined;
    }[];

/** Reads the values of PermitRemoteOpen; `any` without one. What cannot be read permits nothing. */
export function readPermittedOpens(values: readonly string[] | undefined): PermittedOpens {
  const [first, ...more] = values ?? [];
  if (first === undefined || (more.length === 0 && first.toLowerCase() === 'any')) return 'any';
  return [first, ...more].flatMap((value) => {
    const [, bracketed, plain = bracketed, port = ''] =
      /^(?:\[([^\]]*)\]|([^[:/]*))[:/](.*)$/s.exec(value) ?? [];
    const number = port === '*' ? undefined : readPort(port);
    if (plain === undefined || plain === '' || (port !== '*' && number === undefined)) return [];
    return [{ host: plain, port: number }];
  });
}

/** Names are compared as they are written. Source: OpenSSH `open_match`. */
export function isPermitted(
  permitted: PermittedOpens,
  to: { readonly host: string; readonly port: number },
): boolean {
  return (
    permitted === 'any' ||
    permitted.some(
      ({ host, port }) => (host === '*' || host === to.host) && (port === undefined || port === to.port),
    )
  );
}
