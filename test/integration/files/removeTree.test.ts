import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { removeTree } from '../../../src/application/files/documents/removeTree.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import { SftpClient } from '../../../src/infrastructure/sftp/sftpClient.ts';
import { startScriptedSftp, type ScriptedSftp, type SftpPacket } from '../../lab/scriptedSftp.ts';
import { never } from '../ssh/sshBench.ts';

/** Source: draft-ietf-secsh-filexfer-02 section 3. */
const remove = 13;

describe('deleting a folder', () => {
  let folder: string;
  let server: ScriptedSftp | undefined;
  beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'termind-remove-'))));
  afterEach(() => {
    server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const at = (name: string): string => path.join(folder, name);

  it('does not follow a link that takes the place of a folder in it meanwhile', async () => {
    for (const name of ['tree', 'tree/sub', 'outside']) mkdirSync(at(name));
    for (const name of ['tree/file', 'tree/sub/file', 'outside/file']) writeFileSync(at(name), 'x');
    let hasActed = false;
    server = startScriptedSftp({
      onRequest: (request: SftpPacket) => {
        if (request.type === remove && !hasActed) {
          hasActed = true;
          renameSync(at('tree/sub'), at('moved'));
          symlinkSync(at('outside'), at('tree/sub'));
        }
        return request;
      },
    });
    const options = { clock: systemClock, way: 'subsystem', refused: [], onRefused: () => {} } as const;
    const files = await SftpClient.start(server.stream, options, never);
    await removeTree(files, { path: pathOfText(at('tree')), isRecursive: true }, never);
    files.close();
    assert.deepEqual(
      ['tree', 'moved/file', 'outside/file'].map((name) => existsSync(at(name))),
      [false, true, true],
    );
  });
});
