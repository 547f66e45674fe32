const encoder = new TextEncoder();

/** Length of `text` in UTF-8. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

/** Length of `value` as JSON in UTF-8. `value` is JSON data; absent fields count nothing. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

/**
 * The length of a foreign value as JSON, at most `limit + 1`, without building it: a hostile value costs no more than an allowed
 * one. Undefined when it holds something JSON has no form for, or nests deeper than `maxDepth`.
 */
export function boundedSize(value: unknown, limit: number, maxDepth = 8): number | undefined {
  let left = limit;
  const visit = (part: unknown, depth: number): boolean => {
    if (left < 0) return true;
    switch (typeof part) {
      case 'string':
        left -= part.length > left ? part.length : utf8Bytes(part) + 2;
        return true;
      case 'number':
      case 'boolean':
        left -= 8;
        return true;
      case 'undefined':
        return true;
      case 'object': {
        if (part === null) {
          left -= 4;
          return true;
        }
        if (depth === 0) return false;
        left -= 2;
        for (const [key, item] of Object.entries(part)) {
          left -= key.length + 4;
          if (!visit(item, depth - 1)) return false;
          if (left < 0) return true;
        }
        return true;
      }
      default:
        return false;
    }
  };
  if (!visit(value, maxDepth)) return undefined;
  return left < 0 ? limit + 1 : limit - left;
}
