import assert from 'node:assert/strict';
import fs from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sha256Of, stampOf } from '../../../src/domain/files/contentStamp.ts';
import { pathOfText, textOfPath } from '../../../src/domain/files/remotePath.ts';
import { KeptSaveFiles } from '../../../src/infrastructure/files/keptSaveFiles.ts';
import { thisProcess } from '../../../src/infrastructure/store/leases.ts';
import {
  ownServer,
  sftpType,
  status,
  withoutAttributes,
  type SftpPacket,
  type SftpScript,
} from '../../lab/scriptedSftp.ts';
import { never } from '../ssh/sshBench.ts';
import { SaveBench, serverScripts } from './saveBench.ts';
import { patterned } from './sftpBench.ts';

/** Source: draft-ietf-secsh-filexfer-02 section 3. */
const plainRename = 18;
const setsOfHandle = 10;

/** Others act between two requests of a save, or the server says and does what it should not. */
describe('a save while others act on the file', function () {
  this.timeout(60_000);
  let bench: SaveBench;
  beforeEach(() => {
    bench = new SaveBench(async () => ownServer());
  });
  afterEach(() => bench.dispose());

  /** Acts once, in front of the first request that fits. */
  function before(fits: (request: SftpPacket) => boolean, act: () => void): SftpScript {
    let hasActed = false;
    return {
      onRequest: (request) => {
        if (!hasActed && fits(request)) {
          hasActed = true;
          act();
        }
        return request;
      },
    };
  }

  it('does not write through a link that takes the place of a file', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    fs.linkSync(bench.at('file'), bench.at('other'));
    fs.writeFileSync(bench.at('victim'), 'somebody needs this');
    const files = bench.files([
      before(isOpenToWriteOver, () => {
        fs.rmSync(bench.at('file'));
        fs.symlinkSync('victim', bench.at('file'));
      }),
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    assert.equal(bench.read('victim')?.toString(), 'somebody needs this');
    assert.deepEqual([outcome.k, bench.names()], ['conflict', ['file', 'other', 'victim']]);
  });

  it('keeps the rights that somebody takes away while the new content is written', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    fs.chmodSync(bench.at('file'), 0o644);
    const files = bench.files([
      before(isWrite, () => {
        fs.chmodSync(bench.at('file'), 0o600);
      }),
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    const mode = fs.statSync(bench.at('file')).mode & 0o7777;
    assert.deepEqual([outcome.k, bench.read('file')?.toString(), mode], ['saved', 'new', 0o600]);
  });

  it('finds a change of the same size with the same time, made while the new content is written', async () => {
    fs.writeFileSync(bench.at('file'), 'one');
    const { atime, mtime } = fs.statSync(bench.at('file'));
    const files = bench.files([
      before(isWrite, () => {
        fs.writeFileSync(bench.at('file'), 'two');
        fs.utimesSync(bench.at('file'), atime, mtime);
      }),
    ]);
    const outcome = await bench.window().save(bench.request('file', 'mine', { files }), never);
    assert.deepEqual([outcome.k, bench.read('file')?.toString()], ['conflict', 'two']);
    assert.deepEqual(bench.names(), ['file']);
  });

  it('does not remove what somebody has written into a file that it names aside', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const files = bench.files([
      {
        ...serverScripts.bare,
        ...before(
          (request) => request.type === plainRename && !pathIn(request).endsWith('.part'),
          () => {
            fs.writeFileSync(bench.at('file'), 'theirs, at the last moment');
          },
        ),
      },
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    const held = bench.names().map((name) => bench.read(name)?.toString());
    assert.ok(held.includes('theirs, at the last moment'), JSON.stringify([outcome, held]));
  });

  it('does not name a directory aside that takes the place of a file', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const files = bench.files([
      {
        ...serverScripts.bare,
        ...before(
          (request) => request.type === plainRename && pathIn(request).endsWith('.part'),
          () => {
            fs.rmSync(bench.at('file'));
            fs.mkdirSync(bench.at('file'));
            fs.writeFileSync(bench.at('file/theirs'), 'x');
          },
        ),
      },
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    assert.deepEqual([outcome.k, bench.names()], ['failed', ['file']]);
    assert.deepEqual(fs.readdirSync(bench.at('file')), ['theirs']);
  });

  it('names a file back that the server has named aside and says it has not', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    let lie = true;
    const files = bench.files([
      {
        onReply: (reply, request) => {
          if (lie && request.type === plainRename && !pathIn(request).endsWith('.part')) {
            lie = false;
            return [status(reply.id, 3)];
          }
          return serverScripts.bare.onReply(reply);
        },
      },
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    assert.deepEqual([outcome.k, bench.read('file')?.toString()], ['failed', 'old']);
    assert.deepEqual(bench.names(), ['file']);
  });

  it('says that a file is saved which the server has replaced and says it has not', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    let lie = true;
    const files = bench.files([
      {
        onReply: (reply, request) => {
          if (!lie || request.type !== sftpType.extended || !pathIn(request).includes('posix-rename'))
            return [reply];
          lie = false;
          return [status(reply.id, 2)];
        },
      },
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    assert.deepEqual([outcome.k, bench.read('file')?.toString(), bench.names()], ['saved', 'new', ['file']]);
  });

  it('keeps the mode of a file on a server that says it sets modes and does not', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    fs.chmodSync(bench.at('file'), 0o644);
    const files = bench.files([
      {
        onRequest: (request, answer) => {
          if (request.type !== setsOfHandle || !setsMode(request)) return request;
          answer(status(request.id, 0));
          return undefined;
        },
      },
    ]);
    const outcome = await bench.window().save(bench.request('file', 'new', { files }), never);
    assert.deepEqual([outcome.k, bench.read('file')?.toString()], ['saved', 'new']);
    assert.equal(fs.statSync(bench.at('file')).mode & 0o7777, 0o644);
  });

  for (const [way, prepare] of [
    ['the new content', () => {}],
    ['a backup', () => fs.linkSync(bench.at('file'), bench.at('other'))],
  ] as const)
    it(`keeps ${way} from others on a server that pays no heed to the mode of a new file`, async () => {
      fs.writeFileSync(bench.at('file'), 'old secret');
      fs.chmodSync(bench.at('file'), 0o600);
      prepare();
      const seen: number[] = [];
      const files = bench.files([
        {
          ...serverScripts.bare,
          onRequest: (request) => {
            if (request.type === sftpType.write)
              for (const name of bench.names().filter((one) => /\.(?:part|old)$/.test(one)))
                seen.push(fs.statSync(bench.at(name)).mode & 0o077);
            return request.type === sftpType.open ? withoutAttributes(request) : request;
          },
        },
      ]);
      const outcome = await bench.window().save(bench.request('file', 'new secret', { files }), never);
      assert.deepEqual([outcome.k, new Set(seen)], ['saved', new Set([0])]);
    });

  it('does not bring an old content back over one that is too long to be known as damaged', async () => {
    const long = 65 * 1024 * 1024;
    const old = patterned(1_000);
    fs.writeFileSync(bench.at('.file.backup.old'), old);
    fs.writeFileSync(bench.at('file'), 'theirs');
    fs.truncateSync(bench.at('file'), long);
    const store = new KeptSaveFiles({
      folder: bench.kept,
      owner: thisProcess('window'),
      clock: { now: () => Date.now() },
    });
    const target = textOfPath(pathOfText(bench.at('file')));
    const content = patterned(2_000);
    const record = {
      version: 1 as const,
      host: bench.host,
      path: target,
      writer: 'editor',
      base: stampOf(old),
      keepsBackup: false,
      content: { sha256: sha256Of(content), size: content.length },
      keptAt: Date.now(),
    };
    const id = await store.keep(record, content);
    const backup = textOfPath(pathOfText(bench.at('.file.backup.old')));
    await store.note({
      ...record,
      id,
      trace: { target, found: stampOf(old), backup, isInPlace: true },
    });
    const request = { ...bench.request('none', 'mine'), base: stampOf(old) };
    const outcome = await bench
      .window()
      .save({ ...request, target: { host: bench.host, path: pathOfText(bench.at('file')) } }, never);
    assert.deepEqual([outcome.k, fs.statSync(bench.at('file')).size], ['conflict', long]);
  });
});

function isWrite({ type }: SftpPacket): boolean {
  return type === sftpType.write;
}

/** Writing without making it. */
function isOpenToWriteOver(request: SftpPacket): boolean {
  if (request.type !== sftpType.open) return false;
  const flags = request.body.readUInt32BE(4 + request.body.readUInt32BE(0));
  return (flags & 0x02) !== 0 && (flags & 0x08) === 0;
}

function setsMode({ body }: SftpPacket): boolean {
  return (body.readUInt32BE(4 + body.readUInt32BE(0)) & 0x04) !== 0;
}

/** The first text of a request: its path, or the name of an extension. */
function pathIn({ body }: SftpPacket): string {
  return body.subarray(4, 4 + body.readUInt32BE(0)).toString();
}
