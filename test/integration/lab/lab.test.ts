import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import { OpenAI } from 'openai';
import { startLab, type Lab } from '../../lab/lab.ts';
import { LogText } from '../../lab/logText.ts';
import { run } from '../../lab/run.ts';

const accept = ['-o', 'StrictHostKeyChecking=accept-new', '-o', 'IdentityAgent=none', '-o', 'BatchMode=yes'];

/** Logs in with nothing but the lab's own configuration file. */
function ssh(configFile: string, command: string) {
  return run('ssh', ['-F', configFile, ...accept, 'lab', command]);
}

describe('the lab', function () {
  this.timeout(120_000);
  let lab: Lab;

  before(async () => {
    lab = await startLab();
  });
  after(() => lab.stop());

  it('its configuration file is enough to log in, and the host key is unknown before', async () => {
    assert.equal(fs.readFileSync(lab.knownHostsFile, 'utf8'), '');
    const { status, stdout } = await ssh(lab.configFile, 'echo "$HOME"; wc -l < "$HOME/app/log/app.log"');
    assert.deepEqual([status, stdout], [0, `${lab.home}\n5000\n`]);
    assert.match(fs.readFileSync(lab.knownHostsFile, 'utf8'), /^\[127\.0\.0\.1\]:\d+ ssh-ed25519 /);
  });

  it('its application holds a log of 5,000 numbered lines and two rotated logs of some megabytes', async () => {
    const { stdout } = await ssh(
      lab.configFile,
      `tail -n 1 ${lab.appFolder}/log/app.log; du -sk ${lab.appFolder}/log/*`,
    );
    const [last, ...sizes] = stdout.trim().split('\n');
    assert.match(last ?? '', / 05000 flushed shard /);
    assert.deepEqual(
      sizes.map((line) => [path.basename(line), Number(line.split('\t')[0]) > 300]),
      [
        ['app.log', true],
        ['app.log.1', true],
        ['app.log.2', true],
      ],
    );
  });

  it('its model answers a question in many pieces', async () => {
    const client = new OpenAI({ baseURL: lab.model.baseUrl, apiKey: 'none', maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'lab-1',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '');
    assert.match(pieces.join(''), /^I am the lab's \*\*scripted model\*\*/);
    assert.ok(pieces.length > 20);
  });

  it('a kept folder has the same host key, and what a person removed stays removed until all is gone', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-lab-kept-'));
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-lab-kept-home-'));
    const again = async (removing: string) => {
      const kept = await startLab({ folder, account: { home } });
      const logs = path.join(kept.appFolder, 'log');
      const seen = [kept.sshd.hostKeys[0]?.fingerprint, fs.readdirSync(logs).join(' ')];
      if (removing !== '') assert.equal((await ssh(kept.configFile, `rm ${logs}/${removing}`)).status, 0);
      await kept.stop();
      return seen;
    };
    try {
      const [key, files] = await again('app.log.2');
      assert.equal(files, 'app.log app.log.1 app.log.2');
      fs.writeFileSync(path.join(folder, 'known_hosts'), '');
      assert.deepEqual(await again('app.log.1'), [key, 'app.log app.log.1']);
      assert.deepEqual(await again(''), [key, 'app.log app.log.1 app.log.2']);
    } finally {
      for (const one of [folder, home]) fs.rmSync(one, { recursive: true });
    }
  });

  it('`npm run lab` says how to reach both, and an interrupt removes everything', async () => {
    const main = new URL('../../lab/main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = new LogText();
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.append(text));
    const [, configFile = ''] = await output.waitFor(/ssh -F (\S+) lab/, { deadlineMs: 30_000 });
    assert.equal((await ssh(configFile, 'true')).status, 0);
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'close'), [0, null]);
    assert.equal(fs.existsSync(configFile), false);
  });
});
