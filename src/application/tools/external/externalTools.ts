import type { Tool } from '../../../agentkit/index.ts';
import { sftpDownload } from './sftpDownload.ts';
import { sftpUpload } from './sftpUpload.ts';
import type { TransferDeps } from './transferDeps.ts';
import { sftpDownloadStatus, sftpUploadStatus } from './transferStatus.ts';

/** Tools that only other programs get, beside those of the assistant. Source: tools.md 14. */
export function externalTools(deps: TransferDeps): readonly Tool[] {
  return [sftpUpload(deps), sftpUploadStatus(deps), sftpDownload(deps), sftpDownloadStatus(deps)];
}
