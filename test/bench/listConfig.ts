import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/agentkit/index.ts';
import { nobodyToAsk, ProgramConsents } from '../../src/application/vault/programConsents.ts';
import { OpenSshConfig } from '../../src/infrastructure/config/openSshConfig.ts';
import { silentLog } from '../support/silentLog.ts';
import { median, type Benchmark, type Figure } from './figure.ts';

const rounds = 7;
const sizes = [500, 2_000, 8_000] as const;
const judged = 2_000;
const targetMs = 100;

/**
 * P11, the configuration's part: listing the hosts of an OpenSSH configuration from the file on, at three sizes; the target is about
 * 2,000 hosts. Source: quality.md 1; ssh.md CFG-27.
 */
export const listConfig: Benchmark = {
  id: 'P11',
  name: 'config',
  async run(note) {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-bench-'));
    try {
      const figures: Figure[] = [];
      let holds = true;
      for (const hosts of sizes) {
        const file = path.join(folder, String(hosts));
        writeFileSync(file, configOf(hosts));
        const times: number[] = [];
        for (let round = 0; round < rounds; round++) times.push(await msToList(file, hosts));
        const ours = Math.round(median(times) * 10) / 10;
        if (hosts === judged) holds = ours <= targetMs;
        note(`${hosts} hosts: ${ours} ms, first time ${(times[0] ?? 0).toFixed(1)} ms`);
        figures.push({
          id: 'P11',
          ours,
          peer: null,
          ratio: null,
          target: `<= ${targetMs} ms for ${judged} hosts`,
          holds,
          label: `listing an OpenSSH configuration of ${hosts} hosts, ms`,
        });
      }
      return figures;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function msToList(file: string, expected: number): Promise<number> {
  const mayRunPrograms = (): boolean => false;
  const config = new OpenSshConfig({
    configFile: () => file,
    sshProgram: () => undefined,
    mayRunPrograms,
    consents: new ProgramConsents({ ...nobodyToAsk, mayRunPrograms, clock: systemClock }),
    clock: systemClock,
    log: silentLog,
  });
  try {
    const start = performance.now();
    const { hosts, notes } = await config.list();
    const spent = performance.now() - start;
    if (hosts.length !== expected || notes.length > 0) throw new Error(`${hosts.length} hosts were listed`);
    return spent;
  } finally {
    config.dispose();
  }
}

/** As people write it: tabs, CR, an address, a user, a key, and a few blocks that hold for many. */
function configOf(hosts: number): string {
  const lines = Array.from(
    { length: hosts },
    (_, n) =>
      `Host\thost-${n}\r\n\tHostName\t192.0.2.${n % 250}\r\n\tUser deploy\r\n\tIdentityFile ~/.ssh/id_%r # key\r\n`,
  );
  return [
    ...lines,
    'Host *.example.com !gate*\r\n\tProxyJump gate\r\n',
    'Host *\r\n\tServerAliveInterval 15\r\n',
  ].join('');
}
