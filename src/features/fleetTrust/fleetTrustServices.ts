import type { Services } from '../../application/services.ts';

/** What the page about all host keys uses. */
export interface FleetTrustServices {
  readonly fleetTrust: Pick<Services['fleetTrust'], 'read' | 'exportText' | 'coveredBy'>;
  readonly authorities: Pick<Services['authorities'], 'add' | 'forget'>;
  readonly store: Pick<Services['store'], 'onDidChangeRows'>;
}
