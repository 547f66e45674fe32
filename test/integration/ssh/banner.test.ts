import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { SshBench, startServer, targetOf } from './sshBench.ts';

describe('R6: the banner of a server', () => {
  it('is in the trace, harmless and bounded', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'termind-banner-'));
    const file = path.join(folder, 'banner');
    writeFileSync(file, `\x1b[31mNo \u202eentry\nfor others\n${'x\n'.repeat(5_000)}`);
    const server = await startServer({ config: [`Banner ${file}`] });
    const bench = new SshBench();
    try {
      await bench.open(targetOf(server));
      const texts = bench.trace.events.flatMap(({ fact }) => (fact.k === 'banner' ? [fact.text] : []));
      assert.equal(texts.length, 1);
      assert.ok(texts[0]?.startsWith('\\x1b[31mNo \\u202eentry\nfor others\nx\n'), texts[0]?.slice(0, 80));
      assert.equal(texts[0]?.split('\n').length, 200);
    } finally {
      await bench.dispose();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
