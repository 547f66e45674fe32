/** Drops the mark of UTF-8 at the beginning. */
const strict = new TextDecoder('utf-8', { fatal: true });

/** The text of a content in UTF-8; undefined for any other content, and for one with NUL, which is no text of a person. */
export function textOfContent(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return strict.decode(content);
  } catch {
    return undefined;
  }
}
