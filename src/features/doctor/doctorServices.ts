import type { Services } from '../../application/services.ts';

/** What the doctor uses. */
export interface DoctorServices extends Pick<Services, 'hostStore' | 'connections'> {
  readonly hosts: Pick<Services['hosts'], 'get'>;
  readonly sshConfig: Pick<Services['sshConfig'], 'debug'>;
}
