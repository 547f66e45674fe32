/**
 * Run as a program: connects once to the server that its argument describes and prints what came of it as JSON. Behind
 * `--import test/support/electronCrypto.ts` it does so with the crypto of Electron.
 */
import { isTermindError } from '../../../src/domain/fault.ts';
import { chooseAlgorithms } from '../../../src/domain/ssh/algorithmChoice.ts';
import { SshBench, targetOf } from './sshBench.ts';

export interface ConnectOnce {
  readonly server: Parameters<typeof targetOf>[0];
  readonly legacy: readonly string[];
}

const { server, legacy } = JSON.parse(process.argv[2] ?? '{}') as ConnectOnce;
const bench = new SshBench();
const algorithms = chooseAlgorithms({ written: () => undefined, wantsCompression: false, legacy });
try {
  const { facts } = await bench.open(targetOf(server, { algorithms }));
  console.log(JSON.stringify({ algorithms: facts.algorithms }));
} catch (error) {
  if (!isTermindError(error)) throw error;
  console.log(JSON.stringify({ code: error.fault.code, facts: error.fault.facts }));
}
await bench.dispose();
