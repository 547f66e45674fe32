import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { estimateTokenCount } from 'tokenx';
import { callId, messageId, type ModelItem, type ModelRequest } from '../../../src/agentkit/index.ts';
import { ContextMeter } from '../../../src/agentkit/contextMeter.ts';
import { imageTokens, pixelSize } from '../../../src/agentkit/imageTokens.ts';

const user = (id: string, text: string): ModelItem => ({
  role: 'user',
  id: messageId(id),
  text,
  images: [],
});

function request(...items: readonly ModelItem[]): ModelRequest {
  return { system: 'Be brief.', items, tools: [], cacheKey: 'c' };
}

const words = 'The disk of the host is nearly full. '.repeat(100);

/** The smallest files that tell their size. */
const files = {
  png: (width: number, height: number): Buffer => {
    const bytes = Buffer.alloc(24);
    bytes.writeUInt32BE(0x89504e47, 0);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  },
  gif: (width: number, height: number): Buffer => {
    const bytes = Buffer.from('GIF89a____');
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
    return bytes;
  },
  jpeg: (width: number, height: number): Buffer => {
    const app = Buffer.from([0xff, 0xe1, 0, 4, 1, 2]);
    const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3]);
    frame.writeUInt16BE(height, 5);
    frame.writeUInt16BE(width, 7);
    return Buffer.concat([Buffer.from([0xff, 0xd8]), app, frame]);
  },
  webp: (width: number, height: number): Buffer => {
    const bytes = Buffer.alloc(30);
    bytes.write('RIFF____WEBPVP8X', 0, 'latin1');
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
    return bytes;
  },
} as const;

describe('the estimate of a request', () => {
  it('counts prompt, tools, texts and calls', () => {
    const call = { id: callId('c'), name: 'ssh_exec_run', argumentsText: '{"command":"df -h"}' };
    const counted = new ContextMeter().request({
      ...request(user('u', words), {
        role: 'assistant',
        id: messageId('a'),
        text: 'I look.',
        reasoning: 'hidden',
        calls: [call],
        providerItems: [],
      }),
      tools: [{ name: 'probe', description: 'Probes.', inputSchema: { type: 'object' } }],
    });
    const parts = [
      'Be brief.',
      '{"description":"Probes.","inputSchema":{"type":"object"},"name":"probe"}',
      words,
      `I look.\n${call.name}\n${call.argumentsText}`,
    ];
    assert.equal(
      counted,
      parts.reduce((sum, part) => sum + estimateTokenCount(part), 0),
    );
  });

  it("is scaled to the provider's own count", () => {
    const meter = new ContextMeter();
    const asked = request(user('u', words));
    const before = meter.request(asked);
    meter.calibrate(asked, before * 1.5);
    assert.equal(meter.request(asked), Math.ceil(before * 1.5));
    const longer = request(user('u', words), user('v', words));
    assert.equal(meter.request(longer), Math.ceil(new ContextMeter().request(longer) * 1.5));
  });

  for (const [reported, scale] of [
    [0.01, 0.5],
    [100, 3],
  ] as const)
    it(`takes a count of ${String(reported)} times ours for one of something else`, () => {
      const meter = new ContextMeter();
      const asked = request(user('u', words));
      const before = meter.request(asked);
      meter.calibrate(asked, before * reported);
      assert.equal(meter.request(asked), Math.ceil(before * scale));
    });

  it('counts an item again when its text changed', () => {
    const meter = new ContextMeter();
    meter.request(request(user('u', words)));
    assert.equal(
      meter.request(request(user('u', 'short'))),
      new ContextMeter().request(request(user('u', 'short'))),
    );
  });
});

describe('the estimate of an image', () => {
  for (const [name, make] of Object.entries(files)) {
    it(`reads the size of a ${name} file`, () =>
      assert.deepEqual(pixelSize(make(1_025, 512)), { width: 1_025, height: 512 }));
    it(`is not misled by a ${name} file that ends early`, () => {
      const whole = make(1_025, 512);
      for (let end = 0; end < Math.min(whole.length, 9); end++)
        assert.equal(pixelSize(whole.subarray(0, end)), undefined);
    });
  }

  for (const [width, height, tokens] of [
    [512, 512, 255],
    [513, 512, 425],
    [1_920, 1_080, 85 + 170 * 12],
  ] as const)
    it(`of ${String(width)} × ${String(height)} pixels is ${String(tokens)} tokens`, () =>
      assert.equal(
        imageTokens({ mediaType: 'image/png', base64: files.png(width, height).toString('base64') }),
        tokens,
      ));

  it('assumes four tiles where the file does not tell', () =>
    assert.equal(imageTokens({ mediaType: 'image/png', base64: '' }), 765));

  it('counts for user messages', () => {
    const image = { mediaType: 'image/png', base64: files.png(512, 512).toString('base64') };
    const item: ModelItem = { role: 'user', id: messageId('u'), text: '', images: [image, image] };
    const meter = new ContextMeter();
    assert.equal(meter.items([item]), 510);
  });
});
