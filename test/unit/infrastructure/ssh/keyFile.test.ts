import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { normaliseKeyText, unlockKey } from '../../../../src/infrastructure/ssh/keyFile.ts';
import { loadSsh2 } from '../../../../src/infrastructure/ssh/ssh2Library.ts';

describe('reading a key', () => {
  for (const [text, expected] of [
    ['\uFEFF-----BEGIN X-----\r\nAA\r\n-----END X-----', '-----BEGIN X-----\nAA\n-----END X-----\n'],
    [
      'key: |\n    -----BEGIN X-----\n    AA\n    -----END X-----\n\n',
      '-----BEGIN X-----\nAA\n-----END X-----\n',
    ],
    [
      'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none',
      'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\n',
    ],
    ['', '\n'],
  ] as const)
    it(`normalises ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.equal(normaliseKeyText(text), expected);
    });

  it('nothing that a file holds makes it throw', async () => {
    const ssh2 = await loadSsh2();
    const headers = [
      'OPENSSH PRIVATE KEY',
      'RSA PRIVATE KEY',
      'EC PRIVATE KEY',
      'PRIVATE KEY',
      'ENCRYPTED PRIVATE KEY',
      'CERTIFICATE',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...headers),
        fc.uint8Array({ maxLength: 300 }),
        fc.option(fc.string(), { nil: undefined }),
        (header, body, passphrase) => {
          const text = normaliseKeyText(
            `-----BEGIN ${header}-----\n${Buffer.from(body).toString('base64')}\n-----END ${header}-----`,
          );
          const read = unlockKey(ssh2, text, passphrase === undefined ? undefined : Buffer.from(passphrase));
          assert.ok('reason' in read);
        },
      ),
      { numRuns: 300 },
    );
  });
});
