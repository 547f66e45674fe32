import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { createRedactor } from '../../../../src/agentkit/redaction/createRedactor.ts';
import { KnownSecrets } from '../../../../src/agentkit/redaction/knownSecrets.ts';
import { redactLine } from '../../../../src/agentkit/redaction/redactLine.ts';
import { TriggerScan } from '../../../../src/agentkit/redaction/triggerScan.ts';

const known = new KnownSecrets();
for (const value of ['hunter2!', 'päss-wörd', '秘密鍵', 'nul\0value', 'A'.repeat(40)])
  known.add(Buffer.from(value, 'utf8'));
const redactor = createRedactor(known);

describe('the search for what may be secret', () => {
  it('passes no line that a closer look would change', () => {
    const word = fc.constantFrom(
      ...[
        'api',
        'access',
        'private',
        'key',
        'Key',
        'KEY',
        'pass',
        'word',
        'phrase',
        'wd',
        'secret',
        'Secrets',
      ],
      ...[
        'token',
        'Token',
        'credential',
        'authorization',
        'Cookie',
        'sk',
        'AKIA',
        'ASIA',
        'AIza',
        'ghp',
        'github_pat',
      ],
      ...[
        'glpat',
        'xoxb',
        'eyJ',
        '0123456789ABCDEF0123',
        'hunter2!',
        'päss-wörd',
        '秘密鍵',
        'nul\0value',
        'A'.repeat(40),
      ],
    );
    const between = fc.constantFrom(
      '',
      '_',
      '-',
      '.',
      ' ',
      '/',
      ':',
      '=',
      ': ',
      '"',
      '://',
      '@',
      '~',
      '*',
      '$',
      'é',
    );
    const line = fc
      .array(fc.tuple(word, between), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(line, (text) => assert.equal(redactor.redact(text), redactLine(text, known))),
      { numRuns: 5_000 },
    );
  });

  it('passes most lines of a log', () => {
    const scan = new TriggerScan(known.forms());
    const log = 'May  1 12:00:00 web nginx[812]: GET /index.html 200 0.012 "Mozilla/5.0"\n'.repeat(50);
    assert.equal(scan.find(log, 0), -1);
    assert.equal(scan.lineFeedsOfPlain(Buffer.from(log, 'latin1')), 50);
  });

  it('finds a value by bytes as by text, also behind characters outside ASCII', () => {
    const scan = new TriggerScan(known.forms());
    assert.equal(scan.lineFeedsOfPlain(Buffer.from('a hunter2! b\n', 'latin1')), undefined);
    assert.ok(scan.find('é 秘密鍵', 0) >= 0);
  });
});
