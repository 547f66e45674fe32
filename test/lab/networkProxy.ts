import { once } from 'node:events';
import net, { type Socket } from 'node:net';

/** What a client of the proxy asked for. */
export interface ProxyRequest {
  readonly kind: 'socks4a' | 'socks5' | 'http';
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
}

export interface NetworkProxyOptions {
  /** Who may use it; everybody when absent. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Instead of connecting: a SOCKS5 reply, a SOCKS4 reply, or an HTTP status line behind the version. */
  readonly refuse?: { readonly socks5: number; readonly socks4: number; readonly http: string };
  /** Sent at once instead of any protocol; the connection then ends. */
  readonly noise?: Buffer;
  /** Names that it knows; all others are connected to as they are. */
  readonly names?: Readonly<Record<string, string>>;
  /** Nothing is ever answered. */
  readonly isSilent?: boolean;
}

/** A SOCKS4a, SOCKS5 and HTTP CONNECT proxy on 127.0.0.1, told apart by the first byte. Whoever starts it stops it. */
export interface NetworkProxy {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly requests: readonly ProxyRequest[];
  stop(): Promise<void>;
}

export async function startNetworkProxy(options: NetworkProxyOptions = {}): Promise<NetworkProxy> {
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => void sockets.delete(socket));
  };
  const server = net.createServer((client) => {
    keep(client);
    if (options.isSilent === true) return;
    if (options.noise !== undefined) return void client.end(options.noise);
    const proxied = new ProxiedClient(client, options, { keep, note: (request) => requests.push(request) });
    void proxied.serve().catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    host: '127.0.0.1',
    port: address.port,
    requests,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Surroundings {
  readonly keep: (socket: Socket) => Socket;
  readonly note: (request: ProxyRequest) => void;
}

class ProxiedClient {
  readonly #client: Socket;
  readonly #options: NetworkProxyOptions;
  readonly #around: Surroundings;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(client: Socket, options: NetworkProxyOptions, around: Surroundings) {
    this.#client = client;
    this.#options = options;
    this.#around = around;
  }

  async serve(): Promise<void> {
    const [first] = await this.#read(1);
    if (first === 5) return this.#socks5();
    if (first === 4) return this.#socks4();
    return this.#http(String.fromCharCode(first ?? 0));
  }

  async #socks5(): Promise<void> {
    const { login, refuse } = this.#options;
    const [count = 0] = await this.#read(1);
    const methods = [...(await this.#read(count))];
    const method = login === undefined ? 0 : 2;
    if (!methods.includes(method)) return void this.#client.end(Buffer.of(5, 0xff));
    this.#client.write(Buffer.of(5, method));
    const user = login === undefined ? undefined : await this.#socks5Login(login);
    if (login !== undefined && user === undefined) return void this.#client.end(Buffer.of(1, 1));
    if (login !== undefined) this.#client.write(Buffer.of(1, 0));
    const [, , , kind] = await this.#read(4);
    const host = await this.#socks5Host(kind);
    const port = (await this.#read(2)).readUInt16BE();
    this.#around.note({ kind: 'socks5', host, port, user });
    const reply = (code: number): Buffer => Buffer.of(5, code, 0, 3, 4, 0x6e, 0x61, 0x6d, 0x65, 0, 0);
    if (refuse !== undefined) return void this.#client.end(reply(refuse.socks5));
    await this.#relay(host, port, { accepted: reply(0), failed: reply(5) });
  }

  async #socks5Login(login: {
    readonly user: string;
    readonly password: string;
  }): Promise<string | undefined> {
    await this.#read(1);
    const user = (await this.#counted()).toString();
    const password = (await this.#counted()).toString();
    return user === login.user && password === login.password ? user : undefined;
  }

  async #socks5Host(kind: number | undefined): Promise<string> {
    if (kind === 1) return [...(await this.#read(4))].join('.');
    if (kind === 3) return (await this.#counted()).toString();
    const groups = (await this.#read(16)).toString('hex').match(/.{4}/g) ?? [];
    return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
  }

  async #socks4(): Promise<void> {
    const { refuse } = this.#options;
    const head = await this.#read(7);
    const user = await this.#zeroEnded();
    const isName = head.subarray(3, 6).equals(Buffer.of(0, 0, 0)) && head[6] !== 0;
    const host = isName ? await this.#zeroEnded() : [...head.subarray(3)].join('.');
    const port = head.readUInt16BE(1);
    this.#around.note({ kind: 'socks4a', host, port, user: user === '' ? undefined : user });
    const reply = (code: number): Buffer => Buffer.of(0, code, 0, 0, 0, 0, 0, 0);
    if (refuse !== undefined) return void this.#client.end(reply(refuse.socks4));
    await this.#relay(host, port, { accepted: reply(0x5a), failed: reply(0x5b) });
  }

  async #http(first: string): Promise<void> {
    const { login, refuse } = this.#options;
    let head = first;
    while (!head.endsWith('\r\n\r\n')) head += (await this.#read(1)).toString('latin1');
    const target = /^CONNECT \[?([^\s\]]+?)\]?:(\d+) HTTP\/1\.1\r\n/.exec(head);
    const basic = /\r\nProxy-Authorization: Basic (\S+)\r\n/.exec(head)?.[1];
    const given = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString();
    if (login !== undefined && given !== `${login.user}:${login.password}`)
      return void this.#client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [, host = '', port = '0'] = target ?? [];
    this.#around.note({ kind: 'http', host, port: Number(port), user: given?.split(':')[0] });
    if (refuse !== undefined) return void this.#client.end(`HTTP/1.1 ${refuse.http}\r\n\r\n`);
    await this.#relay(host, Number(port), {
      accepted: Buffer.from('HTTP/1.1 200 Connection established\r\nVia: lab\r\n\r\n'),
      failed: Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
    });
  }

  async #relay(
    host: string,
    port: number,
    replies: { readonly accepted: Buffer; readonly failed: Buffer },
  ): Promise<void> {
    const target = this.#around.keep(net.connect({ host: this.#options.names?.[host] ?? host, port }));
    try {
      await once(target, 'connect');
    } catch {
      return void this.#client.end(replies.failed);
    }
    this.#client.write(replies.accepted);
    target.write(this.#bytes);
    this.#client.pipe(target).pipe(this.#client);
    this.#client.on('close', () => target.destroy());
    target.on('close', () => this.#client.destroy());
  }

  async #counted(): Promise<Buffer> {
    return this.#read((await this.#read(1))[0] ?? 0);
  }

  async #zeroEnded(): Promise<string> {
    let text = '';
    for (;;) {
      const [byte = 0] = await this.#read(1);
      if (byte === 0) return text;
      text += String.fromCharCode(byte);
    }
  }

  async #read(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) {
      this.#client.resume();
      const [more] = (await once(this.#client, 'data')) as [Buffer];
      this.#client.pause();
      this.#bytes = Buffer.concat([this.#bytes, more]);
    }
    const bytes = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return bytes;
  }
}
