import type { ToolBody } from '../../../../src/agentkit/index.ts';
import type { CommandOutput } from '../../../../src/application/exec/commandOutput.ts';

/** Keeps all output of a command as text; for tests whose output is small. */
export class TextOutput implements CommandOutput {
  #text = '';

  push(bytes: Uint8Array): undefined {
    this.#text += Buffer.from(bytes).toString('utf8');
  }
  captureTo(): void {}
  end(): void {}
  tail(): string {
    return this.#text;
  }
  body(): ToolBody {
    return { content: this.#text };
  }
  dispose(): void {}
}
