import type { Services } from '../../application/services.ts';

/** What the pages and commands about the SSH configuration use. */
export type ConfigServices = Pick<Services, 'hosts' | 'hostStore' | 'sshConfig' | 'programConsents'>;
