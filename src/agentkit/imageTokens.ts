import type { ImagePart } from './message.ts';

const baseTokens = 85;
const tileTokens = 170;
const tilePixels = 512;
/** Of an image whose size cannot be read. */
const usualTiles = 4;

/** What one image costs: 85 tokens and 170 for each tile of 512 pixels. Source: agent runtime contract, section 22. */
export function imageTokens(image: ImagePart): number {
  const size = pixelSize(Buffer.from(image.base64.slice(0, headerCharacters), 'base64'));
  const tiles =
    size === undefined
      ? usualTiles
      : Math.ceil(size.width / tilePixels) * Math.ceil(size.height / tilePixels);
  return baseTokens + tileTokens * tiles;
}

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Enough for the headers in front of the size of a photograph. */
const headerCharacters = 256 * 1_024;

/** Of a PNG, GIF, WebP or JPEG file, from its first bytes; undefined when they do not tell. */
export function pixelSize(bytes: Buffer): PixelSize | undefined {
  const size = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function png(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Source: RFC 9649. */
function webp(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
    }
    default:
      return undefined;
  }
}

/** Walks the segments to the frame header (SOF0 to SOF15 without DHT, JPG and DAC). Source: ITU-T T.81, B.1. */
function jpeg(bytes: Buffer): PixelSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
