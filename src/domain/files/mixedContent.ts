/**
 * Whether writing `next` over `old` in place, stopped at any point, can have left this: every byte is that of one of the two at its place
 * (zero where neither has been written behind the old end), and it is no longer than the longer one. Otherwise somebody else has written.
 */
export function isMixedContent(found: Uint8Array, old: Uint8Array, next: Uint8Array): boolean {
  if (found.length > Math.max(old.length, next.length) || found.length < Math.min(old.length, next.length))
    return false;
  return found.every((byte, at) => byte === next[at] || byte === old[at] || (byte === 0 && at >= old.length));
}
