import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { reachableAt, readListeningPorts } from '../../../../src/domain/forward/listeningPorts.ts';

describe('what listens on a host', () => {
  for (const [format, text, expected] of [
    [
      'ss',
      `welcome to this machine
#ss
LISTEN 0      128        127.0.0.1:5432      0.0.0.0:*    users:(("postgres",pid=7,fd=5))
LISTEN 0      511             [::]:80           [::]:*
LISTEN 0      511                *:443              *:*
LISTEN 0      511     127.0.0.53%lo:53        0.0.0.0:*
LISTEN 0      511     127.0.0.53%lo:53        0.0.0.0:*
something else
`,
      [
        ['127.0.0.53', 53, undefined],
        ['::', 80, undefined],
        ['*', 443, undefined],
        ['127.0.0.1', 5432, 'postgres'],
      ],
    ],
    [
      'proc',
      `#proc
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 21
   1: 0100007F:1539 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 22
  sl  local_address                         remote_address
   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00
   1: B80D0120000000000000000007000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00
`,
      [
        ['::', 80, undefined],
        ['2001:db8:0:0:0:0:0:7', 443, undefined],
        ['127.0.0.1', 5432, undefined],
      ],
    ],
    [
      'netstat',
      `#netstat
Active Internet connections (including servers)
tcp4       0      0  127.0.0.1.5432         *.*                    LISTEN
tcp46      0      0  *.80                   *.*                    LISTEN
tcp        0      0 0.0.0.0:22              0.0.0.0:*              LISTEN
tcp4       0      0  192.0.2.7.5432         192.0.2.9.1            ESTABLISHED
`,
      [
        ['0.0.0.0', 22, undefined],
        ['*', 80, undefined],
        ['127.0.0.1', 5432, undefined],
      ],
    ],
  ] as const)
    it(`is read from ${format}`, () => {
      assert.deepEqual(
        readListeningPorts(text),
        expected.map(([address, port, program]) => ({ address, port, program })),
      );
    });

  it('is not guessed from anything else', () => {
    assert.equal(readListeningPorts('LISTEN 0 1 127.0.0.1:80 0.0.0.0:*'), undefined);
    fc.assert(
      fc.property(fc.constantFrom('ss', 'proc', 'netstat'), fc.string(), (format, text) => {
        assert.ok(Array.isArray(readListeningPorts(`#${format}\n${text}`)));
      }),
    );
  });

  it('is reached by the address it listens on, or by localhost', () => {
    assert.deepEqual(
      ['*', '::', '0.0.0.0', '192.0.2.7'].map((address) =>
        reachableAt({ address, port: 1, program: undefined }),
      ),
      ['localhost', 'localhost', 'localhost', '192.0.2.7'],
    );
  });
});
