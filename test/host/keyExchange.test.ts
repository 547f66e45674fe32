import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { KexAlgorithm } from 'ssh2';
import * as vscode from 'vscode';
import { chooseAlgorithms, usableChoice } from '../../src/domain/ssh/algorithmChoice.ts';
import { legacyAlgorithms } from '../../src/domain/ssh/legacyAlgorithms.ts';
import { installGroupFallback } from '../../src/infrastructure/ssh/diffieHellmanGroups.ts';
import { cryptoFacts, type Ssh2 } from '../../src/infrastructure/ssh/ssh2Library.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { connectLibrary } from '../integration/ssh/rawClient.ts';

/** With the library as it is shipped, and the crypto of the run time that the editor gives to extensions. */
describe('key exchange in the extension host', function () {
  this.timeout(60_000);
  let server: Sshd;
  let library: Ssh2;

  before(async () => {
    const extension = vscode.extensions.getExtension('termind.termind');
    assert.ok(extension !== undefined);
    const putBack = installGroupFallback(crypto);
    try {
      const load = createRequire(path.join(extension.extensionPath, 'package.json'));
      library = load('./dist/vendor-ssh2.js') as Ssh2;
    } finally {
      putBack();
    }
    const all = [...choice.kex, ...legacyAlgorithms.filter((name) => name.startsWith('diffie'))];
    // The machine's sshd may be older than ML-KEM; the tests against OpenSSH 10 have it.
    server = await startSshd({
      config: [`KexAlgorithms ${all.filter((name) => name !== 'mlkem768x25519-sha256').join(',')}`],
    });
  });
  after(() => server.stop());

  const choice = chooseAlgorithms({
    written: () => undefined,
    wantsCompression: false,
    legacy: legacyAlgorithms,
  });
  const { lists, missing } = usableChoice(choice, cryptoFacts());

  it('has something to offer of every kind, ML-KEM and the small groups included', () => {
    assert.deepEqual(missing, []);
    assert.ok(lists.kex.includes('mlkem768x25519-sha256'));
    assert.ok(lists.kex.includes('diffie-hellman-group1-sha1'));
  });

  for (const kex of lists.kex.filter((name) => name !== 'mlkem768x25519-sha256'))
    it(`${kex} comes to an authenticated connection`, async () => {
      const client = await connectLibrary(library, server, { algorithms: { kex: [kex as KexAlgorithm] } });
      client.end();
    });
});
