import type { ChosenAuthority } from '../../application/trust/authorityLines.ts';

/** The action of the page that takes back an authority. Neither part has a blank. */
export const forgetAction = {
  of: ({ names, fingerprint }: ChosenAuthority): string => `forget ${fingerprint} ${names}`,
  /** Undefined when it is another action. */
  parse: (action: string): ChosenAuthority | undefined => {
    const [, fingerprint, names] = /^forget (\S+) (\S+)$/.exec(action) ?? [];
    return fingerprint === undefined || names === undefined ? undefined : { names, fingerprint };
  },
};
