import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net, { type Socket } from 'node:net';
import path from 'node:path';
import { z } from 'zod';

/** What `ssh` asks. `kind` is `confirm` for yes or no, `none` for a notice that wants no answer. */
export interface AskpassQuestion {
  readonly text: string;
  readonly kind: 'text' | 'confirm' | 'none';
}

/** Resolves with the answer, or undefined to refuse. */
export type AnswerQuestion = (question: AskpassQuestion, signal: AbortSignal) => Promise<string | undefined>;

const question = z.object({ token: z.string(), text: z.string(), kind: z.string() });
const longestQuestion = 128 * 1024;

/** The program that `ssh` runs. It hands the question over and prints the answer; the answer is in no argument and no environment. */
const clientProgram = `
const client = require('node:net').connect(process.env.TERMIND_ASKPASS_SOCKET);
let answer = '';
client.on('error', () => process.exit(1));
client.on('data', (bytes) => { answer += bytes; });
client.on('close', () => {
  if (!answer.startsWith('+')) process.exit(1);
  process.stdout.write(answer.slice(1) + '\\n', () => process.exit(0));
});
client.write(JSON.stringify({
  token: process.env.TERMIND_ASKPASS_TOKEN,
  text: process.argv[2] ?? '',
  kind: process.env.SSH_ASKPASS_PROMPT ?? '',
}) + '\\n');
`;

/**
 * Answers the prompts of one `ssh` and its children. Everything is in a folder that only this user can enter, and a caller has to know a
 * random token as well. Whoever starts it disposes it; questions that are open then are refused. Source: ssh.md 1.8.
 */
export class Askpass {
  /** For `ssh`: it never asks on a terminal. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: net.Server, environment: Readonly<Record<string, string>>) {
    this.#server = server;
    this.environment = environment;
  }

  /** `folder` has mode 0700 and belongs to the caller. */
  static async start(folder: string, answer: AnswerQuestion): Promise<Askpass> {
    const token = randomBytes(32).toString('hex');
    const at = (name: string): string => path.join(folder, name);
    await fs.writeFile(at('askpass.cjs'), clientProgram, { mode: 0o600 });
    await fs.writeFile(at('askpass'), script(at('askpass.cjs')), { mode: 0o700 });
    const server = net.createServer();
    const askpass = new Askpass(server, {
      SSH_ASKPASS: at('askpass'),
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: process.env['DISPLAY'] ?? ':0', // OpenSSH before 8.4 asks no askpass without one
      TERMIND_ASKPASS_SOCKET: at('ask'),
      TERMIND_ASKPASS_TOKEN: token,
    });
    server.on('connection', (socket) => askpass.#serve(socket, token, answer));
    server.listen(at('ask'));
    await once(server, 'listening');
    return askpass;
  }

  dispose(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket, token: string, answer: AnswerQuestion): void {
    this.#sockets.add(socket);
    const gone = new AbortController();
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      gone.abort(new Error('ssh no longer asks'));
    });
    let line = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      line += text;
      if (line.length > longestQuestion) return void socket.destroy();
      if (!line.endsWith('\n')) return;
      this.#answer(line, { token, answer }, gone.signal).then(
        (reply) => socket.end(reply === undefined ? '-' : `+${reply}`),
        () => socket.destroy(),
      );
    });
  }

  async #answer(
    line: string,
    { token, answer }: { readonly token: string; readonly answer: AnswerQuestion },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const asked = question.parse(JSON.parse(line));
    const [given, expected] = [Buffer.from(asked.token), Buffer.from(token)];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const kind = asked.kind === 'confirm' || asked.kind === 'none' ? asked.kind : 'text';
    return answer({ text: asked.text, kind }, signal);
  }
}

/** The editor's own program is a Node when it is told to be one. */
function script(program: string): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return `#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec ${quote(process.execPath)} ${quote(program)} "$@"\n`;
}
