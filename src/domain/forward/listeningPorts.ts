/** Something that listens on a machine. */
export interface ListeningPort {
  /** As the machine spells it: an address, `*` or `::`. */
  readonly address: string;
  readonly port: number;
  /** The program, where the machine tells. */
  readonly program: string | undefined;
}

/** Nobody looks through more. */
const mostPorts = 500;

/** `/proc/net/tcp` writes 0A for a socket that listens. Source: proc(5), Linux `tcp_states.h`. */
const listening = '0A';

/**
 * One command that prints what listens, by the first program that the machine has. Nothing is changed. Each answer names itself, so
 * that nothing is taken for another format. Source: ssh.md 6.
 */
export const listeningPortsCommand =
  "if command -v ss >/dev/null 2>&1; then echo '#ss'; ss -H -l -t -n -p 2>/dev/null; " +
  "elif [ -r /proc/net/tcp ]; then echo '#proc'; cat /proc/net/tcp /proc/net/tcp6 2>/dev/null; " +
  "else echo '#netstat'; netstat -an -p tcp 2>/dev/null || netstat -an 2>/dev/null; fi";

/** What that command printed, each port once, in order. Undefined when it is none of the three formats. */
export function readListeningPorts(text: string): readonly ListeningPort[] | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#(?:ss|proc|netstat)\s*$/.test(line));
  if (start < 0) return undefined;
  const read = { ss: readSs, proc: readProc, netstat: readNetstat }[lines[start]?.trim().slice(1) ?? ''];
  const found = new Map<string, ListeningPort>();
  for (const line of lines.slice(start + 1)) {
    const port = read?.(line.trim());
    if (port === undefined || port.port < 1 || port.port > 65_535 || found.size >= mostPorts) continue;
    const key = `${port.address} ${String(port.port)}`;
    if (!found.has(key)) found.set(key, port);
  }
  return [...found.values()].sort((a, b) => a.port - b.port || a.address.localeCompare(b.address));
}

/** What to connect to on that machine to reach it. */
export function reachableAt({ address }: ListeningPort): string {
  if (address === '*' || address === '0.0.0.0' || address === '::') return 'localhost';
  return address;
}

/** `LISTEN 0 128 127.0.0.1:5432 0.0.0.0:* users:(("postgres",pid=7,fd=5))`, perhaps with `%lo` behind the address. */
function readSs(line: string): ListeningPort | undefined {
  const match = /^LISTEN\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+(?:\s+users:\(\("([^"]{1,64})")?/.exec(line);
  return match === null
    ? undefined
    : { address: plain(match[1] ?? ''), port: Number(match[2]), program: match[3] };
}

/** `0: 0100007F:1538 00000000:0000 0A …`: hexadecimal, each word of the address in the order of the machine's bytes, little endian. */
function readProc(line: string): ListeningPort | undefined {
  const match = /^\d+:\s+([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})\s+\S+\s+([0-9A-F]{2})\s/i.exec(line);
  if (match === null || match[3]?.toUpperCase() !== listening) return undefined;
  const words = (match[1] ?? '').match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse());
  const address =
    bytes.length === 4
      ? bytes.map((byte) => parseInt(byte, 16)).join('.')
      : bytes.every((byte) => byte === '00')
        ? '::'
        : (bytes.join('').match(/.{4}/g) ?? [])
            .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
            .join(':');
  return { address, port: parseInt(match[2] ?? '', 16), program: undefined };
}

/** `tcp4  0  0  127.0.0.1.5432  *.*  LISTEN`, or with a colon before the port. */
function readNetstat(line: string): ListeningPort | undefined {
  const match = /^tcp\S*\s+\d+\s+\d+\s+(\S+)[.:](\d+)\s+\S+\s+LISTEN/.exec(line);
  return match === null
    ? undefined
    : { address: plain(match[1] ?? ''), port: Number(match[2]), program: undefined };
}

function plain(address: string): string {
  const bare = address.replace(/^\[(.*)\]/, '$1').replace(/%.*$/, '');
  return bare === '' ? '*' : bare;
}
