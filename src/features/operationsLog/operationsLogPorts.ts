import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { OperationsLog } from '../../application/operations/operationsLog.ts';
import type { HostDirectory } from '../../application/ports/hosts.ts';

/** What the operations log uses of the runtime. */
export interface OperationsServices {
  readonly hosts: Pick<HostDirectory, 'get'>;
  readonly operations: Pick<OperationsLog, 'timeline' | 'verify' | 'export' | 'accept'>;
}

/** What a command of this feature works with. */
export interface OperationsDesk {
  readonly services: OperationsServices;
  readonly redactor: OperationsLogPorts['redactor'];
}

/** What this feature needs of the window. */
export interface OperationsLogPorts extends Pick<FeaturePorts, 'registerCommand' | 'redactor'> {
  runtime(): Promise<OperationsServices>;
}
