import type { Tool } from '../../agentkit/index.ts';
import { listHosts } from './listHosts.ts';
import { scratchPull } from './scratchPull.ts';
import { scratchPush } from './scratchPush.ts';
import { sftpChmod } from './sftpChmod.ts';
import { sftpCopy } from './sftpCopy.ts';
import { sftpDelete } from './sftpDelete.ts';
import { sftpList } from './sftpList.ts';
import { sftpMkdir } from './sftpMkdir.ts';
import { sftpMove } from './sftpMove.ts';
import { sftpRead } from './sftpRead.ts';
import { sftpStat } from './sftpStat.ts';
import { sftpWrite } from './sftpWrite.ts';
import { sshExecCancel } from './sshExecCancel.ts';
import { sshExecList } from './sshExecList.ts';
import { sshExecOutput } from './sshExecOutput.ts';
import { sshExecRun } from './sshExecRun.ts';
import { sshExecStdin } from './sshExecStdin.ts';

/** What Termind registers behind the built-in tools. They expect the services of `keys.ts`. */
export function termindTools(): readonly Tool[] {
  return [
    listHosts(),
    sshExecRun(),
    sshExecOutput(),
    sshExecList(),
    sshExecStdin(),
    sshExecCancel(),
    sftpList(),
    sftpStat(),
    sftpRead(),
    sftpWrite(),
    sftpMkdir(),
    sftpMove(),
    sftpCopy(),
    sftpChmod(),
    sftpDelete(),
    scratchPull(),
    scratchPush(),
  ];
}
