import type { ConfigListing } from '../../src/application/ports/hosts.ts';

/** A configuration that says nothing about any name. */
export const directWay: ConfigListing['wayOf'] = ({ alias, user = 'me', port = 22 }) => ({
  hostName: alias,
  port,
  user,
  jump: undefined,
  command: undefined,
});
