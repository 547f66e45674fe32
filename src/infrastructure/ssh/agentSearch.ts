import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import type { ClockPort } from '../../agentkit/index.ts';
import {
  placeInVariable,
  placeName,
  placeOf,
  variableIn,
  wellKnownPlaces,
  type AgentPlace,
  type AgentSurroundings,
} from '../../domain/ssh/agentPlaces.ts';
import { AgentClient, type AgentIdentity } from './agentClient.ts';

export interface AgentSearchOptions extends AgentSurroundings {
  readonly clock: ClockPort;
}

/** What came of one place. */
export interface AskedPlace {
  readonly endpoint: string;
  /** `3 keys`, or why not. */
  readonly result: string;
}

export interface FoundAgent {
  /** The first that answered, and what it holds. */
  readonly agent: { readonly client: AgentClient; readonly keys: readonly AgentIdentity[] } | undefined;
  /** Where it listens, or the place that somebody named and that did not answer. */
  readonly endpoint: string | undefined;
  /** Why there is none. */
  readonly problem: string | undefined;
  readonly asked: readonly AskedPlace[];
}

/** The service manager answers at once or not at all. */
const serviceManagerMs = 3_000;
const maxListingBytes = 256 * 1024;

/** Finds the agent of a target. Source: ssh.md 2.3. */
export class AgentSearch {
  readonly #options: AgentSearchOptions;

  constructor(options: AgentSearchOptions) {
    this.#options = options;
  }

  /**
   * A choice is final: `none`, `SSH_AUTH_SOCK`, `$NAME` or a path. Without one the first place that answers counts: the inherited
   * variable, the one that the desktop's service manager knows, then well-known places; a variable that is unset or dead ends nothing.
   * Rejects only on abort.
   */
  async find(chosen: string | undefined, signal: AbortSignal): Promise<FoundAgent> {
    if (chosen?.toLowerCase() === 'none')
      return { agent: undefined, endpoint: undefined, problem: 'agents are switched off', asked: [] };
    const asked: AskedPlace[] = [];
    const seen = new Set<string>();
    const places = chosen === undefined ? this.#places() : this.#chosenPlaces(chosen);
    for await (const place of places) {
      const endpoint = placeName(place);
      if (seen.has(endpoint)) continue;
      seen.add(endpoint);
      const client = new AgentClient(place, this.#options.clock);
      try {
        const keys = await client.list(signal);
        asked.push({ endpoint, result: keys.length === 1 ? '1 key' : `${String(keys.length)} keys` });
        return { agent: { client, keys }, endpoint, problem: undefined, asked };
      } catch (error) {
        signal.throwIfAborted();
        asked.push({ endpoint, result: error instanceof Error ? error.message : String(error) });
      }
    }
    const isNamed = chosen !== undefined || placeInVariable('SSH_AUTH_SOCK', this.#options) !== undefined;
    const named = isNamed ? asked[0] : undefined;
    return {
      agent: undefined,
      endpoint: named?.endpoint,
      problem: named?.result ?? 'no agent is running',
      asked,
    };
  }

  async *#places(): AsyncGenerator<AgentPlace> {
    const inherited = placeInVariable('SSH_AUTH_SOCK', this.#options);
    if (inherited !== undefined) yield inherited;
    const known = await this.#serviceManagerSocket();
    if (known !== undefined) yield placeOf(known, this.#options.platform);
    yield* wellKnownPlaces(this.#options, await this.#pipes());
  }

  async *#chosenPlaces(chosen: string): AsyncGenerator<AgentPlace> {
    const { environment, platform } = this.#options;
    const name = chosen === 'SSH_AUTH_SOCK' ? chosen : /^\$\{?([A-Za-z_]\w*)\}?$/.exec(chosen)?.[1];
    const path = name === undefined ? chosen : environment[name];
    if (path !== undefined && path !== '') yield placeOf(path, platform);
  }

  /** An editor that was started by a click inherits nothing from a shell. */
  async #serviceManagerSocket(): Promise<string | undefined> {
    switch (this.#options.platform) {
      case 'linux':
        return variableIn(await this.#run('systemctl', ['--user', 'show-environment']), 'SSH_AUTH_SOCK');
      case 'darwin':
        return (await this.#run('launchctl', ['getenv', 'SSH_AUTH_SOCK'])).trim() || undefined;
      default:
        return undefined;
    }
  }

  /** Nothing when the program is not there or does not answer in time. */
  #run(program: string, words: readonly string[]): Promise<string> {
    const { PATH, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, HOME } = this.#options.environment;
    const env = { PATH, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, HOME, LC_ALL: 'C' };
    return new Promise((resolve) => {
      const limits = { timeout: serviceManagerMs, maxBuffer: maxListingBytes };
      execFile(program, words, { ...limits, env }, (error, output) => resolve(error === null ? output : ''));
    });
  }

  async #pipes(): Promise<readonly string[]> {
    if (this.#options.platform !== 'win32') return [];
    return fs.readdir('\\\\.\\pipe\\').catch(() => []);
  }
}
