import type { ModelAnswer } from '../modelConversation.ts';
import { CommandHistory, findHost, runOn, shellWord, waitFor, type CommandState } from './commands.ts';
import type { Exchange } from './exchange.ts';

/** Where the story plays. Paths are absolute, on the host. */
export interface StoryPlace {
  readonly hostLabel: string;
  readonly appFolder: string;
}

/** Oldest first, which is the order in which they are offered for removal. */
export const rotatedLogs = ['app.log.2', 'app.log.1'] as const;

export function isDiskQuestion(prompt: string): boolean {
  return /\b(disk|filling|full|space)\b/i.test(prompt);
}

/**
 * The next turn of "Why is the disk filling up?": look at sizes, read the log, explain, offer the two rotated logs for
 * removal one after the other, check, conclude. What a person denied is not asked again; what is unknown is looked
 * at first.
 */
export function diskStory({ steps }: Exchange, place: StoryPlace): ModelAnswer {
  const history = new CommandHistory(steps);
  const host = history.hostId(place.hostLabel);
  if (host === undefined) return opening(place);
  if ('problem' in host) return { text: `I cannot go on: ${host.problem} Add the host and ask me again.` };
  return new DiskStory(history, { hostId: host.id, place }).next();
}

function opening({ hostLabel }: StoryPlace): ModelAnswer {
  return {
    reasoning: 'Sizes first, then the newest lines of whatever is large. Nothing of that changes the host.',
    text: `I will find out what fills the disk of \`${hostLabel}\`. First I look at the file systems and at the folder of the application; that only reads.`,
    calls: [findHost(hostLabel)],
  };
}

class DiskStory {
  readonly #history: CommandHistory;
  readonly #hostId: string;
  readonly #label: string;
  readonly #appFolder: string;
  readonly #logs: string;
  readonly #commands: {
    readonly df: string;
    readonly du: string;
    readonly list: string;
    readonly log: string;
  };

  constructor(history: CommandHistory, where: { readonly hostId: string; readonly place: StoryPlace }) {
    const { hostLabel, appFolder } = where.place;
    this.#history = history;
    this.#hostId = where.hostId;
    this.#label = hostLabel;
    this.#appFolder = appFolder;
    this.#logs = `${appFolder}/log`;
    this.#commands = {
      df: 'df -h',
      du: `du -sh ${shellWord(appFolder)}`,
      list: `ls -lh ${shellWord(this.#logs)}`,
      log: `cat ${shellWord(`${this.#logs}/app.log`)}`,
    };
  }

  next(): ModelAnswer {
    const { df, du, list, log } = this.#commands;
    return (
      this.#look([df, du, list], 'Now the sizes.') ??
      this.#look([log], 'The log folder is the large part. I read the log that is being written.') ??
      this.#removals() ??
      this.#conclusion()
    );
  }

  /** Runs read-only commands together, waits for them, and ends the run with a sentence when one cannot be had. */
  #look(commands: readonly string[], text: string, history = this.#history): ModelAnswer | undefined {
    const states = commands.map((command) => history.stateOf(command, { isReadOnly: true }));
    if (states.some(({ kind }) => kind === 'notRun'))
      return { text, calls: commands.map((command) => runOn(this.#hostId, command)) };
    const waiting = waitFor(states);
    if (waiting !== undefined) return waiting;
    const at = states.findIndex(({ kind }) => kind !== 'ended');
    const state = states[at];
    if (state === undefined || !('sentence' in state)) return undefined;
    return {
      text: `I could not run \`${commands[at] ?? ''}\` on \`${this.#label}\`: ${state.sentence} Nothing was changed. Say "continue" when I shall try again.`,
    };
  }

  #removals(): ModelAnswer | undefined {
    let said = this.#explanation();
    for (const file of rotatedLogs) {
      const command = this.#removal(file);
      const state = this.#removalOf(command, file);
      if (state.kind === 'running') return waitFor([state]);
      if (state.kind === 'unknown') return this.#lookBeforeRepeating(command, file);
      if (state.kind === 'notRun') {
        const warning = 'This removes one file for good; I have no copy of it.';
        return {
          text: `${said}\n\nI propose to remove \`${this.#logs}/${file}\`. ${warning}`,
          calls: [runOn(this.#hostId, command)],
        };
      }
      said = removalSentence(file, state);
    }
    return undefined;
  }

  #removal(file: string): string {
    return `rm ${shellWord(`${this.#logs}/${file}`)}`;
  }

  /** A removal whose outcome is unknown is known again once the folder was listed behind it. */
  #removalOf(command: string, file: string): CommandState {
    const state = this.#history.stateOf(command, { isReadOnly: false });
    const isOpen = state.kind === 'unknown' || (state.kind === 'ended' && state.fields.exit_code === null);
    if (!isOpen) return state;
    const seen = this.#history.after(command).stateOf(this.#commands.list, { isReadOnly: true });
    if (seen.kind !== 'ended') return { kind: 'unknown', sentence: '' };
    if (isListed(seen.fields.output, file)) return { kind: 'notRun' };
    return { kind: 'ended', fields: { ...seen.fields, exit_code: 0 } };
  }

  #lookBeforeRepeating(command: string, file: string): ModelAnswer | undefined {
    const text = `Whether \`${file}\` was removed is unknown, so I do not repeat it. I look at the folder first.`;
    return this.#look([this.#commands.list], text, this.#history.after(command));
  }

  #explanation(): string {
    const { df, du, list, log } = this.#commands;
    const rows = listedFiles(this.#outputOf(list)).map(({ name, size }) => `| \`${name}\` | ${size} |`);
    const total = this.#outputOf(du).split(/\s/)[0] ?? '';
    const state = this.#history.stateOf(log, { isReadOnly: true });
    const fields = state.kind === 'ended' ? state.fields : undefined;
    const saved = fields?.full_output_path;
    return [
      `## What fills the disk of \`${this.#label}\``,
      `\`${this.#appFolder}\` holds **${total}**, nearly all of it logs:`,
      ['| file | size |', '|---|---:|', ...rows].join('\n'),
      `The file system below it: \`${fileSystemOf(this.#appFolder, this.#outputOf(df))}\`.`,
      `The application writes a line for every flush of its cache and never stops. The newest line:\n\n\`\`\`\n${lastLine(fields?.output ?? '')}\n\`\`\``,
      fields?.marker === undefined ? '' : `I saw a part of the log: \`${fields.marker}\`.`,
      saved === undefined ? '' : `All of it is saved as \`${saved}\`.`,
      'Two rotated logs are not written any more. Removing them frees space at once; less logging or `logrotate` is what lasts.',
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  #conclusion(): ModelAnswer {
    const outcomes = rotatedLogs.map((file) => ({
      file,
      state: this.#removalOf(this.#removal(file), file),
    }));
    const removed = outcomes.filter(({ state }) => state.kind === 'ended' && state.fields.exit_code === 0);
    if (removed.length === 0)
      return { text: `${outcomes.map(said).join(' ')} Nothing was changed on \`${this.#label}\`.` };
    const behind = this.#history.after(this.#removal(rotatedLogs[1]));
    const { df, list } = this.#commands;
    const check = this.#look([list, df], `${outcomes.map(said).join(' ')} I check the effect.`, behind);
    if (check !== undefined) return check;
    const seen = behind.stateOf(list, { isReadOnly: true });
    const left = seen.kind === 'ended' ? listedFiles(seen.fields.output) : [];
    return {
      text: [
        `## Done on \`${this.#label}\``,
        outcomes.map((one) => `- ${said(one)}`).join('\n'),
        `Now in \`${this.#logs}\`: ${left.map(({ name, size }) => `\`${name}\` (${size})`).join(', ')}.`,
        'What I did not do: stop the application from writing so much.',
      ].join('\n\n'),
    };
  }

  #outputOf(command: string): string {
    const state = this.#history.stateOf(command, { isReadOnly: true });
    return state.kind === 'ended' ? state.fields.output : '';
  }
}

function said({ file, state }: { readonly file: string; readonly state: CommandState }): string {
  return removalSentence(file, state);
}

function removalSentence(file: string, state: CommandState): string {
  switch (state.kind) {
    case 'denied':
      return `You declined the removal of \`${file}\`, so it stays.`;
    case 'failed':
      return `\`${file}\` was not removed: ${state.sentence}`;
    case 'ended':
      if (state.fields.exit_code === 0) return `\`${file}\` is removed.`;
      return `\`${file}\` was not removed: ${state.fields.output.trim()}`;
    case 'unknown':
    case 'running':
    case 'notRun':
      return `What became of \`${file}\` is unknown.`;
  }
}

/** Files of `ls -lh`, folders and totals left out. */
function listedFiles(output: string): { readonly name: string; readonly size: string }[] {
  return output.split('\n').flatMap((line) => {
    const columns = line.split(/\s+/);
    const [mode, , , , size] = columns;
    const name = columns.slice(8).join(' ');
    return mode?.startsWith('-') === true && size !== undefined ? [{ name, size }] : [];
  });
}

function isListed(output: string, file: string): boolean {
  return listedFiles(output).some(({ name }) => name === file);
}

/** The line of `df` whose mount point is the longest one above `folder`. */
function fileSystemOf(folder: string, df: string): string {
  const above = df
    .split('\n')
    .map((line) => ({ line, mount: line.split(/\s+/).at(-1) ?? '' }))
    .filter(
      ({ mount }) => mount.startsWith('/') && `${folder}/`.startsWith(mount === '/' ? '/' : `${mount}/`),
    )
    .sort((a, b) => b.mount.length - a.mount.length);
  return (above[0]?.line ?? 'not listed').replace(/\s+/g, ' ');
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? '';
}
