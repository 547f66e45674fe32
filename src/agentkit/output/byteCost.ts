const quote = 0x22;
const slash = 0x2f;
const lessThan = 0x3c;
const backslash = 0x5c;

/** Bytes of one ASCII character inside a JSON string: 1, 2 for a short escape, 6 for `\u00XX`. */
const asciiCost = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === quote || code === backslash) return 2;
  if (code >= 0x20) return 1;
  return [0x08, 0x09, 0x0a, 0x0c, 0x0d].includes(code) ? 2 : 6;
});

/**
 * UTF-8 bytes of `text[start, end)` inside a JSON string of ours, where `</` is written `<\/` and a lone surrogate as `\uDXXX`.
 * Stops counting above `limit`: the result is then some number greater than it. Source: agent runtime contract, section 8.5.
 */
export function escapedBytes(text: string, range: { start: number; end: number; limit: number }): number {
  const { end, limit } = range;
  let bytes = 0;
  let before = 0;
  for (let index = range.start; index < end && bytes <= limit; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) bytes += (asciiCost[code] ?? 0) + (code === slash && before === lessThan ? 1 : 0);
    else if (code < 0x800) bytes += 2;
    else if (code < 0xd800 || code > 0xdfff) bytes += 3;
    else if (code < 0xdc00 && index + 1 < end && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index++;
    } else bytes += 6;
    before = code;
  }
  return bytes;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
