import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { WebError, type NamesPort } from '../../src/agentkit/index.ts';

/** The addresses that a look-up gets; `nth` counts the look-ups of this name from 0. Undefined = there is no such name. */
export type DnsAnswers = (name: string, nth: number) => readonly string[] | undefined;

/** A DNS server over UDP on 127.0.0.1. Whoever starts it stops it. */
export interface DnsServer {
  /** Resolves through this server alone. One call is one look-up, for both kinds of address. */
  readonly names: NamesPort;
  /** Names that were asked for, once a question. */
  readonly questions: readonly string[];
  stop(): Promise<void>;
}

const typeA = 1;
const typeAaaa = 28;

export async function startDnsServer(answers: DnsAnswers): Promise<DnsServer> {
  const questions: string[] = [];
  const lookUps = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (packet, from) => {
    const { name, type, end } = questionOf(packet);
    questions.push(name);
    const addresses = answers(name, lookUps.get(name) ?? 0);
    socket.send(reply(packet.subarray(0, end), type, addresses), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 30_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    names: {
      async resolve(name) {
        const found = await Promise.all([addressesOf(resolver, name, 4), addressesOf(resolver, name, 6)]);
        lookUps.set(name, (lookUps.get(name) ?? 0) + 1);
        if (found.flat().length === 0) throw new WebError('nameUnknown', { host: name });
        return found.flat();
      },
    },
    questions,
    async stop() {
      resolver.cancel();
      socket.close();
      await once(socket, 'close');
    },
  };
}

async function addressesOf(resolver: Resolver, name: string, family: 4 | 6): Promise<readonly string[]> {
  try {
    return await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw error;
  }
}

/** Source: RFC 1035, section 4.1. */
function questionOf(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

function reply(question: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const rows = (addresses ?? []).filter((address) => type === (isIPv4(address) ? typeA : typeAaaa));
  const head = Buffer.from(question);
  // An answer, recursion available, and NXDOMAIN for a name that there is not.
  head.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(rows.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...rows.map((address) => record(type, addressBytes(address)))]);
}

function record(type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(12);
  // The name of the question; class IN; no time to live.
  fixed.writeUInt16BE(0xc00c, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const front = groups(head);
  const back = groups(tail ?? '');
  const middle = Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill('0');
  return Buffer.from([...front, ...middle, ...back].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
