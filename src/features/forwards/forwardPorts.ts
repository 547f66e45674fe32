import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';

/** What this feature uses of the runtime. */
export type ForwardServices = Pick<Services, 'forwards'> & {
  readonly hosts: Pick<Services['hosts'], 'get' | 'onDidChange'>;
};

export type ForwardPorts = Omit<FeaturePorts, 'runtime' | 'redactor'> & {
  runtime(): Promise<ForwardServices>;
};
