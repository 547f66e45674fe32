import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { startEarlyServer, type EarlyServer } from '../../lab/earlyServer.ts';
import { wireString } from '../../lab/sshWire.ts';
import { SshBench, targetAt, within } from './sshBench.ts';

const serviceAccept = Buffer.concat([Buffer.from([6]), wireString('ssh-userauth')]);
const extensions = Buffer.concat([
  Buffer.from([7, 0, 0, 0, 1]),
  wireString('server-sig-algs'),
  wireString(''),
]);
const success = Buffer.from([52]);

/** The library opens the inbound half of a connection before anybody has said yes to the host key. Source: ssh.md 3.1. */
describe('a server that goes on before its host key is accepted', function () {
  this.timeout(60_000);
  let bench = new SshBench();
  const servers: EarlyServer[] = [];
  afterEach(async () => {
    await bench.dispose();
    for (const server of servers.splice(0)) await server.stop();
    bench = new SshBench();
  });
  const start = async (payloads: readonly Buffer[]): Promise<EarlyServer> => {
    const server = await startEarlyServer(payloads);
    servers.push(server);
    return server;
  };
  const placeOf = ({ port }: EarlyServer) => ({ host: '127.0.0.1', port }) as const;

  it('gets no word about the user', async () => {
    const server = await start([serviceAccept]);
    bench.person.answerHostKey = () => new Promise(() => {});
    const fault = await within(bench.fault(targetAt(placeOf(server))), 'the end of the attempt');
    assert.deepEqual([fault.code, fault.stage], ['link-lost', 'kex']);
    assert.deepEqual(server.inTheClear, []);
  });

  it('may name its extensions, as real ones do, and still has to be accepted', async () => {
    const server = await start([extensions]);
    bench.person.answerHostKey = () => 'cancel';
    const fault = await within(bench.fault(targetAt(placeOf(server))), 'the end of the attempt');
    assert.equal(fault.code, 'key-unknown');
  });

  it('is no connection by saying so', async () => {
    const server = await start([success]);
    bench.person.answerHostKey = () => new Promise(() => {});
    const fault = await within(bench.fault(targetAt(placeOf(server))), 'the end of the attempt');
    assert.deepEqual([fault.code, fault.stage], ['link-lost', 'kex']);
    assert.deepEqual(server.inTheClear, []);
  });
});
