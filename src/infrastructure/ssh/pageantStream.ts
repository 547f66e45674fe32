import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import { Duplex, type Readable, type Writable } from 'node:stream';

/** Lies beside the bundle. Source: TRAP-11. */
const program = path.join(import.meta.dirname, 'pagent.exe');

/** What the program means by its exit codes. */
const meanings: Readonly<Record<number, string>> = {
  11: 'Pageant is not running',
  12: 'pagent.exe has no memory to share with Pageant',
  15: 'pagent.exe did not get the whole request',
};

/**
 * One request to a Pageant that is reached by window messages only: a helper program takes it on its input and gives the answer on its
 * output. Destroying ends the program. Source: ssh.md 2.3; TRAP-11.
 */
export class PageantStream extends Duplex {
  #parts: Buffer[] = [];
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#parts.push(chunk);
    const request = Buffer.concat(this.#parts);
    if (request.length < 4 || request.length < 4 + request.readUInt32BE(0)) return done();
    this.#parts = [];
    this.#ask(request);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#child?.kill();
    done(error);
  }

  #ask(request: Buffer): void {
    const child = spawn(program, [String(request.length)], {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    this.#child = child;
    child.on('error', (cause) =>
      this.destroy(
        new Error('pagent.exe cannot be started; security software may have removed it', { cause }),
      ),
    );
    child.on('close', (code) => {
      if (code === 0) this.push(null);
      else this.destroy(new Error(meanings[code ?? -1] ?? `pagent.exe ended with ${String(code)}`));
    });
    child.stdout.on('data', (bytes: Buffer) => this.push(bytes));
    child.stdin.on('error', () => {}); // its end says why
    child.stdin.end(request);
  }
}
