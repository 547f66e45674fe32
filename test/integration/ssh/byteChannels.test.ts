import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Transport } from '../../../src/application/ports/transport.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { SshBench, faultOf, never, startServer, targetOf, within } from './sshBench.ts';

describe('raw byte channels', () => {
  let server: Sshd;
  let bench: SshBench;
  let transport: Transport;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    bench = new SshBench();
    transport = await bench.open(targetOf(server));
  });
  afterEach(() => bench.dispose());

  it('SFTP answers its first packet with its version', async () => {
    const stream = await transport.as('sftp-browse').bytes('sftp', {}, never);
    stream.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
    const [answer] = (await within(once(stream, 'data'), 'the version')) as [Buffer];
    assert.deepEqual([answer[4], answer.readUInt32BE(5)], [2, 3]);
    stream.end();
    await within(once(stream.resume(), 'close'), 'the end');
    assert.deepEqual(await stream.exit, { kind: 'code', code: 0 });
  });

  it('a subsystem that the server lacks is a fault of its own, and its place is free again', async () => {
    for (let n = 0; n < 20; n++) {
      const fault = await faultOf(transport.bytes('subsystem', { name: 'nonsense' }, never));
      assert.deepEqual([fault.code, fault.facts], ['sftp-missing', { subsystem: 'nonsense' }]);
    }
  });

  it('a command gives its bytes, its errors beside them, and its status', async () => {
    const command = 'echo beside >&2; cat; exit 3';
    const stream = await transport.bytes('exec', { command }, never);
    let beside = '';
    stream.onStderr((bytes) => (beside += Buffer.from(bytes).toString()));
    stream.end('there and back');
    assert.equal(Buffer.concat(await within(stream.toArray(), 'the bytes')).toString(), 'there and back');
    assert.deepEqual([await stream.exit, beside], [{ kind: 'code', code: 3 }, 'beside\n']);
  });

  it('what came beside the bytes before anybody listened is there for the first who does', async () => {
    const stream = await transport.bytes('exec', { command: 'echo beside >&2; cat' }, never);
    stream.write('x');
    await within(once(stream, 'data'), 'the bytes');
    let beside = '';
    stream.onStderr((bytes) => (beside += Buffer.from(bytes).toString()));
    assert.equal(beside, 'beside\n');
    stream.destroy();
  });

  it('errors that nobody listens to do not hold the bytes back', async () => {
    const command = 'head -c 5000000 /dev/zero >&2; echo done';
    const stream = await transport.bytes('exec', { command }, never);
    assert.equal(Buffer.concat(await within(stream.toArray(), 'the bytes')).toString(), 'done\n');
  });

  it('a stream counts until the server has closed it', async () => {
    const browse = transport.as('sftp-browse');
    const all = await Promise.all(Array.from({ length: 9 }, () => browse.bytes('sftp', {}, never)));
    assert.equal((await faultOf(browse.bytes('sftp', { queueMs: 0 }, never))).code, 'channel-limit');
    const waiting = browse.bytes('sftp', {}, never);
    all[0]?.destroy();
    (await within(waiting, 'the place')).destroy();
  });

  it('transfers see their share shrink when a terminal comes', async () => {
    const transfers = transport.as('sftp-transfer');
    const told: number[] = [];
    transfers.onAllowedChange(() => told.push(transfers.allowed));
    assert.equal(transfers.allowed, 8);
    const terminal = await transport.as('terminal').shell({ rows: 24, cols: 80, environment: [] }, never);
    assert.equal(transfers.allowed, 4);
    terminal.close();
    await within(terminal.closed, 'the close');
    assert.deepEqual([told.at(-1), transfers.allowed], [8, 8]);
  });
});
