import { TextDecoder } from 'node:util';

/** A declaration of the encoding stands in the first of these bytes. Source: WHATWG HTML, 13.2.3.2. */
const prescanBytes = 1_024;

const marks: readonly { readonly bytes: readonly number[]; readonly label: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], label: 'utf-8' },
  { bytes: [0xff, 0xfe], label: 'utf-16le' },
  { bytes: [0xfe, 0xff], label: 'utf-16be' },
];

/**
 * Text of received bytes, without a byte order mark. The mark decides, then the header, then what the document says of itself, then
 * UTF-8 where the bytes are that, else Windows-1252. What an encoding does not know becomes U+FFFD. Linear.
 * Source: WHATWG Encoding and HTML, "determining the character encoding".
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const marked = marks.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte))?.label;
  const decoder = decoderOf(marked) ?? decoderOf(charset) ?? decoderOf(declared(bytes));
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Undefined for an encoding that nobody knows. */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** `<meta charset>`, `<meta http-equiv>` or the declaration of XML. One that could be read here is no UTF-16, whatever it says. */
function declared(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, prescanBytes)).toString(
    'latin1',
  );
  const label =
    /<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(start)?.[1] ??
    /<meta\s[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(start)?.[1];
  return label !== undefined && /^utf-16/i.test(label) ? 'utf-8' : label;
}
