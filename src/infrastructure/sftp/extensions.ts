import { optionalOperations, type OptionalOperation } from '../../application/ports/remoteFiles.ts';

/** The name of each extension and the version that we speak. Source: OpenSSH PROTOCOL section 4. */
export const extensionName = {
  posixRename: 'posix-rename@openssh.com',
  statvfs: 'statvfs@openssh.com',
  hardlink: 'hardlink@openssh.com',
  fsync: 'fsync@openssh.com',
  lsetstat: 'lsetstat@openssh.com',
  limits: 'limits@openssh.com',
  expandPath: 'expand-path@openssh.com',
  copyData: 'copy-data',
  homeDirectory: 'home-directory',
  namesById: 'users-groups-by-id@openssh.com',
} as const satisfies Partial<Record<OptionalOperation, string>>;

const versions: Readonly<Record<keyof typeof extensionName, string>> = {
  posixRename: '1',
  statvfs: '2',
  hardlink: '1',
  fsync: '1',
  lsetstat: '1',
  limits: '1',
  expandPath: '1',
  copyData: '1',
  homeDirectory: '1',
  namesById: '1',
};

/** What may be tried: what was announced in the version that we speak and what the protocol itself has, without what was refused before. */
export function availableOperations(
  announced: ReadonlyMap<string, string>,
  refused: readonly OptionalOperation[],
): Set<OptionalOperation> {
  return new Set(
    optionalOperations.filter((operation) => {
      if (refused.includes(operation)) return false;
      if (!isExtension(operation)) return true;
      return announced.get(extensionName[operation]) === versions[operation];
    }),
  );
}

function isExtension(operation: OptionalOperation): operation is keyof typeof extensionName {
  return operation in extensionName;
}

/** What OpenSSH has announced since 6.6, in its order. */
const ofOpenSsh = [
  'posix-rename@openssh.com',
  'statvfs@openssh.com',
  'fstatvfs@openssh.com',
  'hardlink@openssh.com',
  'fsync@openssh.com',
];

/**
 * Whether the server is OpenSSH's, which answers requests one after the other: only there a directory is read by several requests at
 * a time. Source: ssh.md 8.7, 6.
 */
export function isOpenSshServer(announced: ReadonlyMap<string, string>): boolean {
  const names = [...announced.keys()];
  return ofOpenSsh.every((name, index) => names[index] === name);
}
