import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';

/** What this feature uses of the runtime. */
export type TransferServices = Pick<Services, 'transfers' | 'archiveConsents'> & {
  readonly hosts: Pick<Services['hosts'], 'get' | 'list' | 'onDidChange'>;
  readonly files: Pick<Services['files'], 'browse'>;
};

export type TransferPorts = Pick<
  FeaturePorts,
  'log' | 'describeError' | 'describeFault' | 'registerCommand'
> & {
  runtime(): Promise<TransferServices>;
};
