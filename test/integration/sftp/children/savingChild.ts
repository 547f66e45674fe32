import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stampOf } from '../../../../src/domain/files/contentStamp.ts';
import { sftpServerProgram, type SftpUpstream } from '../../../lab/scriptedSftp.ts';
import { never } from '../../ssh/sshBench.ts';
import { LabFiles, savingWindow, serverScripts } from '../saveBench.ts';
import { parseHostId } from '../../../../src/domain/host/hostId.ts';
import { pathOfText } from '../../../../src/domain/files/remotePath.ts';

/**
 * Saves what a file holds into another and kills itself in front of a request.
 * Arguments: folder of the kept saves, host, target, file with the content, name of the script, number of the request.
 */
const [kept = '', host = '', target = '', source = '', script = '', at = ''] = process.argv.slice(2);

/** It ends when this process is gone, and only then is its stderr closed: whoever waits for that sees what it has done. */
async function connect(): Promise<SftpUpstream> {
  const { stdin, stdout } = spawn(sftpServerProgram, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { stdin, stdout, stop: () => stdin.destroy() };
}

const id = parseHostId(host);
if (id === undefined || (script !== 'full' && script !== 'bare')) throw new RangeError('wrong arguments');
let seen = 0;
const files = new LabFiles(connect, [
  {
    ...serverScripts[script],
    onRequest: (request) => {
      if (seen++ === Number(at)) process.kill(process.pid, 'SIGKILL');
      return request;
    },
  },
]);
const outcome = await savingWindow(kept).save(
  {
    target: { host: id, path: pathOfText(target) },
    content: readFileSync(source),
    base: stampOf(readFileSync(target)),
    files,
    writer: 'editor',
    keepBackup: false,
  },
  never,
);
throw new Error(`it was not killed: ${outcome.k}`);
