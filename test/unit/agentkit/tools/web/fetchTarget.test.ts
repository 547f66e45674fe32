import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { findTarget, parseFetchUrl } from '../../../../../src/agentkit/tools/web/fetchTarget.ts';
import { WebError } from '../../../../../src/agentkit/index.ts';
import { memoryWeb } from '../../support/memoryWeb.ts';

const { signal } = new AbortController();

/** `restricted`, `public`, or the code of the refusal. */
async function judge(url: string, addresses: readonly string[] = []): Promise<string> {
  const names = { 'name.example': addresses, 'name.example.': addresses, localhost: ['127.0.0.1', '::1'] };
  try {
    return (await findTarget(parseFetchUrl(url), memoryWeb(names, {}).names, signal)).class;
  } catch (error) {
    if (error instanceof WebError) return error.fault.code;
    throw error;
  }
}

const spellings: readonly (readonly [url: string, expected: string, why: string])[] = [
  ['http://127.0.0.1/', 'restricted', 'plain'],
  ['http://127.0.0.1:8080/', 'restricted', 'another port'],
  ['HTTP://127.0.0.1/', 'restricted', 'scheme in capitals'],
  ['http:127.0.0.1', 'restricted', 'no slashes'],
  ['http:\\\\127.0.0.1\\', 'restricted', 'backslashes'],
  ['http://0x7f.0.0.1/', 'restricted', 'hexadecimal part'],
  ['http://0x7f.1/', 'restricted', 'hexadecimal and short'],
  ['http://0x7f000001/', 'restricted', 'one hexadecimal number'],
  ['http://2130706433/', 'restricted', 'one decimal number'],
  ['http://017700000001/', 'restricted', 'one octal number'],
  ['http://0177.0.0.01/', 'restricted', 'octal parts'],
  ['http://00000177.1/', 'restricted', 'octal with many zeros'],
  ['http://127.1/', 'restricted', 'short'],
  ['http://127.0.0.1./', 'restricted', 'dot at the end'],
  ['http://%31%32%37.0.0.1/', 'restricted', 'percent-encoded'],
  ['http://１２７.0.0.1/', 'restricted', 'full-width digits'],
  ['http://127。0。0。1/', 'restricted', 'ideographic full stops'],
  ['http://⑩.0.0.1/', 'restricted', 'circled number'],
  ['http://localhost/', 'restricted', 'a name for it'],
  ['http://LOCALHOST/', 'restricted', 'a name in capitals'],
  ['http://ⓛocalhost/', 'restricted', 'a name in circled letters'],
  ['http://[::1]/', 'restricted', 'IPv6'],
  ['http://[0:0:0:0:0:0:0:1]/', 'restricted', 'IPv6 at length'],
  ['http://[::ffff:127.0.0.1]/', 'restricted', 'mapped'],
  ['http://[::ffff:7f00:1]/', 'restricted', 'mapped in hexadecimal'],
  ['http://[::127.0.0.1]/', 'restricted', 'compatible'],
  ['http://[64:ff9b::7f00:1]/', 'restricted', 'NAT64'],
  ['http://[2002:7f00:1::]/', 'restricted', '6to4'],
  ['http://[fe80::1]/', 'restricted', 'link-local'],
  ['http://127.0.0.1:80\\@example.com/', 'restricted', 'a backslash ends the host'],
  ['http://0/', 'addressRefused', 'unspecified'],
  ['http://0x/', 'addressRefused', 'nothing in hexadecimal is 0'],
  ['http://[::]/', 'addressRefused', 'unspecified'],
  ['http://224.0.0.1/', 'addressRefused', 'multicast'],
  ['http://255.255.255.255/', 'addressRefused', 'broadcast'],
  ['http://[fe80::1%25eth0]/', 'urlRefused', 'a zone'],
  ['http://256.1.1.1/', 'urlRefused', 'no address'],
  ['http://1.2.3.4.5/', 'urlRefused', 'no address'],
  ['http://4294967296/', 'urlRefused', 'too large a number'],
  ['http://127.0.0.1%00.example.com/', 'urlRefused', 'a NUL in the name'],
  ['http://someone@127.0.0.1/', 'urlRefused', 'a user'],
  ['http://:word@example.com/', 'urlRefused', 'a password'],
  ['ftp://127.0.0.1/', 'urlRefused', 'another scheme'],
  ['file:///etc/passwd', 'urlRefused', 'another scheme'],
  ['data:text/plain,hello', 'urlRefused', 'another scheme'],
  ['javascript:alert(1)', 'urlRefused', 'another scheme'],
  ['//127.0.0.1/', 'urlRefused', 'no scheme'],
  ['', 'urlRefused', 'nothing'],
  ['http://unknown.example/', 'nameUnknown', 'a name without an address'],
];

const resolutions: readonly (readonly [addresses: readonly string[], expected: string, why: string])[] = [
  [['8.8.8.8'], 'public', 'all public'],
  [['8.8.8.8', '2001:4860:4860::8888'], 'public', 'all public'],
  [['8.8.8.8', '10.0.0.1'], 'restricted', 'one restricted among public ones'],
  [['2001:4860:4860::8888', '::ffff:7f00:1'], 'restricted', 'one mapped among public ones'],
  [['fe80::1%eth0'], 'restricted', 'a zone from the resolver'],
  [['8.8.8.8', '0.0.0.0'], 'addressRefused', 'one refused among public ones'],
  [['10.0.0.1', 'ff02::1'], 'addressRefused', 'one refused among restricted ones'],
  [['8.8.8.8', 'no address'], 'nameUnknown', 'something that is no address'],
  [[], 'nameUnknown', 'no address'],
];

describe('a target of fetch', () => {
  for (const [url, expected, why] of spellings)
    it(`${url === '' ? '(nothing)' : url} is ${expected} (${why})`, async () => {
      assert.equal(await judge(url), expected);
    });

  for (const [addresses, expected, why] of resolutions)
    it(`a name with [${addresses.join(', ')}] is ${expected} (${why})`, async () => {
      assert.equal(await judge('https://name.example/', addresses), expected);
      assert.equal(await judge('https://name.example./', addresses), expected);
    });

  it('is never public under any spelling of a restricted address', async () => {
    await fc.assert(
      fc.asyncProperty(restrictedFour.chain(spelled), async (host) => {
        assert.notEqual(await judge(`http://${host}/`), 'public');
      }),
      { numRuns: 500 },
    );
  });

  it('is public under every spelling of a public address, so that the property above can fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constant([8, 8, 4, 4] as const).chain(spelledFour), async (host) => {
        assert.equal(await judge(`http://${host}/`), 'public');
      }),
      { numRuns: 200 },
    );
  });
});

type Four = readonly [number, number, number, number];

const byte = fc.nat(255);
const restrictedFour: fc.Arbitrary<Four> = fc.oneof(
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
);

/** As URLs may write it: each part in one of three bases, the last ones as one number, other digits, encoded, with a dot behind. */
function spelledFour(four: Four): fc.Arbitrary<string> {
  return fc
    .record({
      parts: fc.integer({ min: 1, max: 4 }),
      bases: fc.array(fc.constantFrom('decimal', 'octal', 'hexadecimal'), { minLength: 4, maxLength: 4 }),
      dress: fc.constantFrom('plain', 'wide', 'encoded'),
      ending: fc.constantFrom('', '.'),
    })
    .map(({ parts, bases, dress, ending }) => {
      const numbers = [
        ...four.slice(0, parts - 1),
        four.slice(parts - 1).reduce((sum, one) => sum * 256 + one, 0),
      ];
      const text = numbers.map((number, at) => inBase(number, bases[at] ?? 'decimal')).join('.');
      return `${dressed(text, dress)}${ending}`;
    });
}

function spelled(four: Four): fc.Arbitrary<string> {
  const hex = (high: number, low: number): string => (high * 256 + low).toString(16);
  const [a, b, c, d] = four;
  const tail = `${hex(a, b)}:${hex(c, d)}`;
  const turned = `${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`;
  return fc.oneof(
    spelledFour(four),
    fc.constantFrom(
      `[::ffff:${four.join('.')}]`,
      `[::FFFF:${tail}]`,
      `[::${tail}]`,
      `[::ffff:0:${tail}]`,
      `[64:ff9b::${tail}]`,
      `[2002:${tail}::1]`,
      `[2001:0:808:808::${turned}]`,
    ),
  );
}

function inBase(number: number, base: string): string {
  if (base === 'octal') return `0${number.toString(8)}`;
  return base === 'hexadecimal' ? `0x${number.toString(16)}` : String(number);
}

function dressed(text: string, dress: string): string {
  if (dress === 'encoded') return text.replace(/\d/g, (digit) => `%3${digit}`);
  if (dress === 'wide') return text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  return text;
}
