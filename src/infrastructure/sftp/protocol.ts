/** Numbers of SFTP version 3. Source: draft-ietf-secsh-filexfer-02 sections 3 and 7. */
export const packetType = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const;

export const protocolVersion = 3;

/**
 * Status codes. Those above 8 belong to later versions; some servers send them in version 3 all the same.
 * Source: draft-ietf-secsh-filexfer-13 section 9.1.
 */
export const statusCode = {
  ok: 0,
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  noConnection: 6,
  connectionLost: 7,
  unsupported: 8,
  noSuchPath: 10,
  exists: 11,
  writeProtected: 12,
  noSpace: 14,
  quota: 15,
  lockConflict: 17,
  notEmpty: 18,
  notDirectory: 19,
  invalidName: 20,
  linkLoop: 21,
  isDirectory: 24,
} as const;

export const openFlag = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const;

/** Most bytes of one packet that we take. Source: ssh.md 8.1. */
export const maxInboundLength = 256 * 1024;
/** Data of one request, where the server tells no limits and where it does. Source: ssh.md 8.1. */
export const plainDataLength = 32 * 1024;
export const largestDataLength = 261_120;
/** A path longer than this would not fit into a packet that every server takes. Source: ssh.md 8.1. */
export const maxPathLength = 32 * 1024;
