/** The first line of a container that stands in lines of text. */
const header = /^(?:-----BEGIN [A-Z0-9 ]+-----|---- BEGIN SSH2 [A-Z ]+ ----|PuTTY-User-Key-File-\d+: .*)$/;

/**
 * The text of a key file, one character a byte, without byte order mark, carriage returns, text before the header and the indentation of
 * the header, and with a final newline. UTF-16, as PowerShell writes it, becomes the same. Of several blocks the first private one counts.
 * Source: ssh.md 2.4.
 */
export function keyTextOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWide = buffer[0] === 0xff && buffer[1] === 0xfe;
  const text = isWide ? buffer.toString('utf16le') : buffer.toString('latin1');
  const lines = text.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '').split(/\r\n|\r|\n/);
  const headers = lines.flatMap((line, at) => (header.test(line.trim()) ? [at] : []));
  const start = headers.find((at) => / PRIVATE |^\s*PuTTY/.test(lines[at] ?? '')) ?? headers[0] ?? 0;
  const indentation = /^[ \t]*/.exec(lines[start] ?? '')?.[0] ?? '';
  const own = lines
    .slice(start)
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line));
  while (own.length > 0 && own.at(-1)?.trim() === '') own.pop();
  return `${own.join('\n')}\n`;
}
