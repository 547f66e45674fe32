/** Why a file tool did nothing, beside the faults of files. */
export type FileRefusal =
  | 'notConnected'
  | 'kindDiffers'
  | 'notRegular'
  | 'notText'
  | 'lineTooFar'
  | 'offsetPastEnd'
  | 'foreignCursor'
  | 'parentMissing'
  | 'samePath'
  | 'insideSource'
  | 'directoryInTheWay'
  | 'needsRecursive'
  | 'specialFile'
  | 'protectedPath'
  | 'tooManyBytes'
  | 'changedMeanwhile'
  | 'notShown'
  | 'digestDiffers'
  | 'notComparable'
  | 'otherFileSystem';

type Facts = Readonly<Record<string, string>>;
const fact = (facts: Facts, name: string): string => facts[name] ?? '';

const modelText: Record<FileRefusal, (facts: Facts) => string> = {
  notConnected: () => 'The host is not connected, and a review neither connects nor asks.',
  kindDiffers: (f) => `${fact(f, 'path')} is a ${fact(f, 'actual')}, not a ${fact(f, 'asked')}.`,
  notRegular: (f) => `${fact(f, 'path')} is not a regular file but a ${fact(f, 'actual')}.`,
  notText: (f) =>
    `${fact(f, 'path')} is not UTF-8 text. Its bytes can be copied into scratch with scratch_pull.`,
  lineTooFar: (f) =>
    `The line is more than ${fact(f, 'limit')} bytes into ${fact(f, 'path')}, and no more are looked through in one call. Copy the file with scratch_pull, or read the lines with a command such as sed -n on the host.`,
  offsetPastEnd: (f) =>
    `The offset ${fact(f, 'offset')} is past the end of ${fact(f, 'path')}, which has ${fact(f, 'total')} lines.`,
  foreignCursor: () => 'The cursor is not of this directory. Call sftp_list again without it.',
  parentMissing: (f) => `The parent directory of ${fact(f, 'path')} does not exist.`,
  samePath: () => 'Source and target are the same.',
  insideSource: () => 'The target lies inside the source.',
  directoryInTheWay: (f) =>
    `${fact(f, 'path')} exists already and is a directory, which is never overwritten.`,
  needsRecursive: (f) => `${fact(f, 'path')} is a directory; that needs recursive.`,
  specialFile: (f) => `${fact(f, 'path')} is neither a file nor a directory nor a link, and is not copied.`,
  protectedPath: (f) =>
    `${fact(f, 'path')} is never deleted: it is the root directory, stands directly in it, or is the home directory.`,
  tooManyBytes: (f) => `${fact(f, 'path')} holds more than ${fact(f, 'limit')} bytes.`,
  changedMeanwhile: (f) =>
    `${fact(f, 'path')} is another file than it was when the decision was made, so nothing was done.`,
  notShown: (f) =>
    `${fact(f, 'path')} was not there when the decision was made, which does not cover it, so nothing was done.`,
  digestDiffers: (f) =>
    f['sha256'] === undefined
      ? `${fact(f, 'path')} does not exist, so its SHA-256 differs from the expected one. Nothing was written.`
      : `${fact(f, 'path')} holds another content than expected (SHA-256 ${fact(f, 'sha256')}). Nothing was written.`,
  notComparable: (f) =>
    `${fact(f, 'path')} is larger than ${fact(f, 'limit')} bytes, so it is not compared with expected_sha256. Nothing was written.`,
  otherFileSystem: (f) =>
    `${fact(f, 'path')} is on another file system, where nothing can be moved to. Use sftp_copy.`,
};

/** The model's sentence is the message; facts hold paths fit to be shown. Nothing was changed, unless a caller says otherwise. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
  readonly code: FileRefusal;

  constructor(code: FileRefusal, facts: Facts = {}) {
    super(modelText[code](facts));
    this.code = code;
  }
}
