/** JSON in JSON: what a program prints, and what of that stands in our rows and in their exports. */
const printedDepth = 2;
const storedDepth = 5;

/** The forms in which a program may print a secret. Made here and not by the redactor, which they are a test of. */
export function printedForms(secret: string): readonly string[] {
  return formsOf(secret, printedDepth);
}

function formsOf(secret: string, jsonDepth: number): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const json: string[] = [];
  for (let text = secret; json.length < jsonDepth; json.push(text)) text = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(secret);
  const base64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Without the characters that its neighbours decide about.
    return encoded.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
  });
  const texts = [
    secret,
    ...json,
    url,
    url.replaceAll('%20', '+'),
    url.replace(/%../g, (escape) => escape.toLowerCase()),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(texts)];
}

/** Where each of these secrets was found: `name in place`. `places` are texts, bytes or anything that JSON can say. */
export function hits(
  secrets: Readonly<Record<string, string>>,
  places: Iterable<readonly [place: string, content: unknown]>,
): readonly string[] {
  const forms = Object.entries(secrets).map(([name, secret]) => ({
    name,
    forms: formsOf(secret, storedDepth).flatMap((text) => [
      Buffer.from(text, 'utf8'),
      Buffer.from(text, 'utf16le'),
    ]),
  }));
  const found: string[] = [];
  for (const [place, content] of places) {
    const bytes = bytesOf(content);
    for (const { name, forms: known } of forms)
      if (known.some((form) => bytes.includes(form))) found.push(`${name} in ${place}`);
  }
  return found;
}

function bytesOf(content: unknown): Buffer {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content), 'utf8');
}
