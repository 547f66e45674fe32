import type { Services } from '../../application/services.ts';

/** What the doctor uses. */
export type DoctorServices = Pick<Services, 'hosts' | 'hostStore' | 'connections'>;
