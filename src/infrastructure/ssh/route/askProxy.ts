import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxyServer } from '../../../domain/host/host.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';
import { AnswerReader } from './answerReader.ts';
import { placeText } from '../../../domain/host/placeText.ts';

/** Where a proxy is to connect to. */
export interface ProxyDestination {
  readonly host: string;
  readonly port: number;
}

export interface ProxyLogin {
  readonly user: string;
  readonly password: string;
}

/** The proxy refused, in its own word, or did not answer as its protocol says. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  /** Who signs in, and how, was refused: trying again does not help. */
  readonly isAboutLogin: boolean;

  constructor(message: string, isAboutLogin = false) {
    super(message);
    this.isAboutLogin = isAboutLogin;
  }
}

/**
 * Asks a proxy on a connected, paused stream for a connection. Afterwards every byte of the stream belongs to the destination. Answers
 * are read strictly and bounded. Rejects with `ProxyRefusal`, `StreamEnded`, the stream's error or the signal's reason.
 * Source: ssh.md 1.2; RFC 1928, RFC 1929, RFC 9110 section 9.3.6.
 */
export async function askProxy(
  stream: Duplex,
  question: Question & { readonly kind: ProxyServer['kind'] },
  signal: AbortSignal,
): Promise<void> {
  const answers = new AnswerReader(stream, signal);
  try {
    await dialogues[question.kind]({ stream, answers }, question);
  } finally {
    answers.dispose();
  }
}

interface Question {
  readonly to: ProxyDestination;
  readonly login: ProxyLogin | undefined;
}

interface Line {
  readonly stream: Duplex;
  readonly answers: AnswerReader;
}

const dialogues = { socks5: askSocks5, socks4a: askSocks4a, http: askHttp } as const;

async function askSocks5({ stream, answers }: Line, { to, login }: Question): Promise<void> {
  const methods = login === undefined ? [0] : [0, 2];
  stream.write(Buffer.from([5, methods.length, ...methods]));
  const [version, method] = await answers.exactly(2);
  if (version !== 5) throw notSocks();
  if (method === 0xff || method === undefined || !methods.includes(method))
    throw new ProxyRefusal('the SOCKS proxy accepts none of our ways to sign in', true);
  if (method === 2 && login !== undefined) {
    const user = counted(login.user);
    stream.write(Buffer.concat([Buffer.of(1), user, counted(login.password)]));
    const [, status] = await answers.exactly(2);
    if (status !== 0) throw new ProxyRefusal('the SOCKS proxy refused the user or password', true);
  }
  stream.write(Buffer.concat([Buffer.of(5, 1, 0), socksAddress(to.host), portBytes(to.port)]));
  const [replyVersion, reply = -1, , kind] = await answers.exactly(4);
  if (replyVersion !== 5) throw notSocks();
  if (reply !== 0) throw new ProxyRefusal(socks5Words[reply] ?? `SOCKS reply ${String(reply)}`);
  await answers.exactly((await boundAddressLength(answers, kind)) + 2);
}

async function boundAddressLength(answers: AnswerReader, kind: number | undefined): Promise<number> {
  if (kind === 1) return 4;
  if (kind === 4) return 16;
  if (kind !== 3) throw notSocks();
  return (await answers.exactly(1))[0] ?? 0;
}

async function askSocks4a({ stream, answers }: Line, { to, login }: Question): Promise<void> {
  const user = zeroEnded(login?.user ?? '');
  const isAddress = net.isIPv4(to.host);
  const address = isAddress ? ipv4Bytes(to.host) : Buffer.of(0, 0, 0, 1);
  const name = isAddress ? Buffer.alloc(0) : zeroEnded(to.host);
  stream.write(Buffer.concat([Buffer.of(4, 1), portBytes(to.port), address, user, name]));
  const [version, reply = -1] = await answers.exactly(8);
  if (version !== 0) throw notSocks();
  if (reply === 0x5a) return;
  const isAboutLogin = reply === 0x5c || reply === 0x5d;
  throw new ProxyRefusal(socks4Words[reply] ?? `SOCKS reply ${String(reply)}`, isAboutLogin);
}

async function askHttp({ stream, answers }: Line, { to, login }: Question): Promise<void> {
  if (/[\s\p{Cc}]/u.test(to.host)) throw new ProxyRefusal('the address cannot be sent to an HTTP proxy');
  const place = placeText(to.host, to.port);
  const basic = login === undefined ? undefined : Buffer.from(`${login.user}:${login.password}`);
  const lines = [
    `CONNECT ${place} HTTP/1.1`,
    `Host: ${place}`,
    ...(basic === undefined ? [] : [`Proxy-Authorization: Basic ${basic.toString('base64')}`]),
  ];
  stream.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await answers.until('\r\n\r\n', maxHeadBytes);
  const status = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?\r\n/.exec(head ?? '');
  if (status === null) throw new ProxyRefusal('the proxy does not answer as an HTTP proxy');
  const [, code = '', words = ''] = status;
  if (code.startsWith('2')) return;
  throw new ProxyRefusal(`HTTP ${code} ${showUntrusted(words)}`.trimEnd(), code === '407');
}

/** Source: RFC 1928 section 6. */
const socks5Words: Readonly<Record<number, string>> = {
  1: 'general SOCKS server failure',
  2: 'connection not allowed by ruleset',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'command not supported',
  8: 'address type not supported',
};

const socks4Words: Readonly<Record<number, string>> = {
  0x5b: 'request rejected or failed',
  0x5c: 'the proxy cannot reach identd on this machine',
  0x5d: 'identd reports another user',
};

/** Headers of an answer beyond this are no answer. */
const maxHeadBytes = 16 * 1024;

function notSocks(): Error {
  return new ProxyRefusal('the proxy does not answer as a SOCKS proxy');
}

function socksAddress(host: string): Buffer {
  if (net.isIPv4(host)) return Buffer.concat([Buffer.of(1), ipv4Bytes(host)]);
  const v6 = net.isIPv6(host) ? ipv6Bytes(host) : undefined;
  return v6 === undefined ? Buffer.concat([Buffer.of(3), counted(host)]) : Buffer.concat([Buffer.of(4), v6]);
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** Undefined with a zone, which means something on this machine only. */
function ipv6Bytes(address: string): Buffer | undefined {
  if (address.includes('%')) return undefined;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const plain =
    dotted === null
      ? address
      : `${dotted[1] ?? ''}${ipv4Bytes(dotted[2] ?? '')
          .toString('hex')
          .replace(/(?=.{4}$)/, ':')}`;
  const [front = '', back] = plain.split('::');
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(front).length - groups(back ?? '').length;
  const all = [...groups(front), ...Array.from({ length: missing }, () => '0'), ...groups(back ?? '')];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function portBytes(port: number): Buffer {
  return Buffer.of(port >> 8, port & 0xff);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length === 0 || bytes.length > 255)
    throw new ProxyRefusal('a name or password is empty or too long for a SOCKS proxy', true);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function zeroEnded(text: string): Buffer {
  if (text.includes('\0') || Buffer.byteLength(text) > 255)
    throw new ProxyRefusal('a name is too long for a SOCKS proxy');
  return Buffer.from(`${text}\0`, 'utf8');
}
