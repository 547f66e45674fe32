import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { checkHeaders } from '../../../../../src/agentkit/tools/web/requestHeaders.ts';
import { WebError } from '../../../../../src/agentkit/index.ts';

const refused: readonly (readonly [name: string, value: string, why: string])[] = [
  ['Host', 'example.com', 'it names the server'],
  ['HOST', 'example.com', 'in any case'],
  ['Content-Length', '3', 'it is counted'],
  ['Connection', 'keep-alive', 'hop-by-hop'],
  ['Keep-Alive', 'timeout=5', 'hop-by-hop'],
  ['Proxy-Authorization', 'Basic abc', 'for a proxy'],
  ['Proxy-Authenticate', 'Basic', 'for a proxy'],
  ['Proxy-Connection', 'close', 'for a proxy'],
  ['TE', 'trailers', 'hop-by-hop'],
  ['Trailer', 'Expires', 'hop-by-hop'],
  ['Transfer-Encoding', 'chunked', 'hop-by-hop'],
  ['Upgrade', 'websocket', 'hop-by-hop'],
  ['X-A: b\r\nHost', 'c', 'two lines in a name'],
  ['X-A', 'b\r\nHost: c', 'two lines in a value'],
  ['X-A', 'b\0', 'a NUL'],
  ['X-A', 'b€', 'a character of more than one byte'],
  ['X A', 'b', 'a space in a name'],
  ['', 'b', 'no name'],
];

describe('own headers of a request', () => {
  for (const [name, value, why] of refused)
    it(`refuses ${JSON.stringify(`${name}: ${value}`)} (${why})`, () => {
      assert.throws(
        () => checkHeaders([{ name, value }]),
        (error: unknown) => error instanceof WebError && error.fault.code === 'headerRefused',
      );
    });

  it('takes everything else as it is, without white space around values', () => {
    const headers = [
      { name: 'Authorization', value: 'Bearer abc' },
      { name: 'X-Empty', value: '' },
      { name: 'Cookie', value: 'a=b' },
      { name: 'Cookie', value: 'c=d' },
      { name: 'X-Latin', value: 'é\tü' },
    ];
    assert.deepEqual(checkHeaders([...headers, { name: 'Accept', value: ' text/* ' }]), [
      ...headers,
      { name: 'Accept', value: 'text/*' },
    ]);
  });
});
