import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { WebError } from '../../../agentkit/index.ts';
import { errorCode } from '../errorCode.ts';

type Unpack = (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

/** `deflate` is a zlib stream (RFC 9110, section 8.4.1.2); some servers send a raw one. */
async function anyInflate(bytes: Uint8Array, options: ZlibOptions): Promise<Buffer> {
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return isZlib
    ? promisify<Uint8Array, ZlibOptions, Buffer>(inflate)(bytes, options)
    : promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw)(bytes, options);
}

const encodings: Readonly<Record<string, Unpack>> = {
  gzip: promisify<Uint8Array, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Uint8Array, ZlibOptions, Buffer>(gunzip),
  deflate: anyInflate,
  br: promisify<Uint8Array, ZlibOptions, Buffer>(brotliDecompress),
};

/** What we say that we take. */
export const acceptedEncodings = 'gzip, deflate, br';

/** More codings than this one after the other nobody needs. */
const mostLayers = 3;

/**
 * The body without its content codings; never more than `maxBytes` in memory for each. Rejects with `WebError` `encodingUnknown` or
 * `tooLarge`. Runs beside the calling thread.
 */
export async function unpackBody(
  bytes: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const layers = (contentEncoding ?? '')
    .split(',')
    .map((layer) => layer.trim().toLowerCase())
    .filter((layer) => layer !== '' && layer !== 'identity');
  if (layers.length > mostLayers) throw new WebError('encodingUnknown', { reason: 'too many layers' });
  let unpacked = bytes;
  for (const layer of layers.reverse()) {
    const unpack = encodings[layer];
    if (unpack === undefined)
      throw new WebError('encodingUnknown', { reason: JSON.stringify(layer.slice(0, 64)) });
    if (unpacked.length > 0) unpacked = await unpackLayer(unpack, unpacked, maxBytes);
  }
  return unpacked;
}

async function unpackLayer(unpack: Unpack, bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await unpack(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new WebError('tooLarge', { limit: String(maxBytes) }, error);
    throw new WebError('encodingUnknown', { reason: 'its bytes are damaged' }, error);
  }
}
