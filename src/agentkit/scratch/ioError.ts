import { AgentError } from '../agentError.ts';

/** The code of a file system error, such as `ENOENT`; undefined for everything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A link or special file on a path: never followed, never opened. */
export function linkRefused(path: string): AgentError {
  return new AgentError('scratchPathRefused', { reason: `${path} is a link or no regular file` });
}

/** What the file system said about `path`, as an error of ours. Errors of ours and aborts pass unchanged. */
export function scratchError(error: unknown, path: string): unknown {
  if (error instanceof AgentError) return error;
  const facts = { path };
  switch (errorCode(error)) {
    case 'ENOENT':
      return new AgentError('scratchNotFound', facts, error);
    case 'ENOTDIR':
      return new AgentError('scratchNotDirectory', facts, error);
    case 'EISDIR':
      return new AgentError('scratchIsDirectory', facts, error);
    case 'EEXIST':
      return new AgentError('scratchExists', facts, error);
    case 'ENOTEMPTY':
      return new AgentError('scratchNotEmpty', facts, error);
    case 'ELOOP':
      return linkRefused(path);
    case 'ENOSPC':
    case 'EDQUOT':
      return new AgentError('scratchIo', { reason: 'the disk is full' }, error);
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new AgentError('scratchIo', { reason: 'its folder may not be written or read' }, error);
    case undefined:
      return error;
    default:
      return new AgentError('scratchIo', { reason: `the disk answered ${errorCode(error) ?? ''}` }, error);
  }
}
