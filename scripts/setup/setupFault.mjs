import { inspect } from 'node:util';

/** A failure that its message explains fully: commands print it without a stack. */
export class PlainFailure extends Error {
  /** @param {string} message whole sentences, for the person who ran the command */
  constructor(message) {
    super(message);
    this.name = 'PlainFailure';
  }
}

/** Something the machine lacks and the set-up cannot get by itself: what is missing, then the one way to get it. */
export class SetupFault extends PlainFailure {
  /**
   * @param {string} missing what is missing and why it could not be had
   * @param {string} remedy the one command, or the one thing to do, that gets it
   */
  constructor(missing, remedy) {
    super(`Missing: ${missing}\nTo get it: ${remedy}`);
    this.name = 'SetupFault';
    this.remedy = remedy;
  }
}

/**
 * Runs `main` as the body of a command: a PlainFailure is printed as it is, anything else with its stack, because it is
 * a fault of ours. Both end in exit status 1.
 * @param {() => Promise<number | void>} main resolves to the exit status; nothing means 0
 */
export async function runCommand(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    console.error(explain(error));
  }
}

/**
 * What to print of a failure.
 * @param {unknown} error
 */
export function explain(error) {
  return error instanceof PlainFailure ? `\n${error.message}` : inspect(error);
}
