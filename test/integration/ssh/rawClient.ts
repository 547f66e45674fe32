import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Client, ClientChannel, ConnectConfig } from 'ssh2';
import { loadSsh2, type Ssh2 } from '../../../src/infrastructure/ssh/ssh2Library.ts';
import { startKexServer, type KexServerOptions } from '../../lab/kexServer.ts';
import type { LabServer } from '../../lab/labServer.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';

/** The library itself at a lab server, logged in with its key; for tests of the library and its patches. Whoever connects ends it. */
export async function rawClient(
  server: LabServer,
  config: Pick<ConnectConfig, 'algorithms'> & { readonly hostVerifier?: (blob: Buffer) => boolean } = {},
): Promise<Client> {
  return connectLibrary(await loadSsh2(), server, config);
}

/** As {@link rawClient}, with a library that was loaded in another way. */
export async function connectLibrary(
  library: Ssh2,
  server: LabServer,
  config: ConnectConfig = {},
): Promise<Client> {
  const client = new library.Client();
  const ready = new Promise<void>((resolve, reject) => {
    client.on('ready', resolve).on('error', reject);
  });
  client.connect({
    host: server.host,
    port: server.port,
    username: server.account.name,
    privateKey: readFileSync(server.key.privateFile),
    hostVerifier: () => true,
    ...config,
  });
  await withinDeadline('the library is ready', ready);
  client.setNoDelay(true);
  return client;
}

/** Opens an exec channel. */
export function rawExec(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error === undefined ? resolve(channel) : reject(error)));
  });
}

/** All a channel says, after it has closed. */
export async function outputOf(channel: ClientChannel): Promise<Buffer> {
  const chunks: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => chunks.push(chunk));
  channel.stderr.resume();
  await once(channel, 'close');
  return Buffer.concat(chunks);
}

/** The error with which the first exchange of keys fails at a scripted server; rejects when it does not fail. */
export async function failedExchange(
  options: KexServerOptions,
  algorithms: NonNullable<ConnectConfig['algorithms']>,
): Promise<string> {
  const server = await startKexServer(options);
  const { Client } = await loadSsh2();
  const client = new Client();
  const failed = new Promise<string>((resolve, reject) => {
    client.on('error', (error) => resolve(error.message)).on('ready', () => reject(new Error('connected')));
  });
  const { port } = server;
  client.connect({ host: '127.0.0.1', port, username: 'op', hostVerifier: () => true, algorithms });
  try {
    return await withinDeadline('the exchange of keys fails', failed);
  } finally {
    client.destroy();
    await server.stop();
  }
}
