/** One block between BEGIN and END. Source: RFC 7468, RFC 1421 section 4.6. */
export interface PemBlock {
  /** `RSA PRIVATE KEY` and so on. */
  readonly label: string;
  /** Of the encrypted form of OpenSSL: `AES-128-CBC` and the initialisation vector. */
  readonly encryption: { readonly cipher: string; readonly iv: Buffer } | undefined;
  readonly bytes: Buffer;
}

/** The block that a text begins with; what follows its end does not matter. Throws a RangeError when it is not whole. */
export function readPem(text: string): PemBlock {
  const lines = text.split('\n').map((line) => line.trim());
  const label = /^-----BEGIN ([A-Z0-9 ]+)-----$/.exec(lines[0] ?? '')?.[1];
  const end = label === undefined ? -1 : lines.indexOf(`-----END ${label}-----`);
  if (label === undefined || end === -1) throw new RangeError('the block has no end');
  const inner = lines.slice(1, end);
  const headers = inner.filter((line) => line.includes(':'));
  const base64 = inner.filter((line) => !line.includes(':')).join('');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new RangeError('the block is no base64');
  return { label, encryption: readEncryption(headers), bytes: Buffer.from(base64, 'base64') };
}

function readEncryption(headers: readonly string[]): PemBlock['encryption'] {
  const valueOf = (name: string): string | undefined =>
    headers
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  if (valueOf('Proc-Type') === undefined && valueOf('DEK-Info') === undefined) return undefined;
  const [, cipher, iv] = /^([A-Za-z0-9-]+),((?:[0-9A-Fa-f]{2})+)$/.exec(valueOf('DEK-Info') ?? '') ?? [];
  if (valueOf('Proc-Type') !== '4,ENCRYPTED' || cipher === undefined || iv === undefined)
    throw new RangeError('the headers of the block are damaged');
  return { cipher, iv: Buffer.from(iv, 'hex') };
}
