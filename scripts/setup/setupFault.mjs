/**
 * Something the machine lacks and the set-up cannot get by itself. `run.mjs` and the tasks print it without a stack:
 * what is missing, then the one command that gets it.
 */
export class SetupFault extends Error {
  /**
   * @param {string} missing what is missing and why it could not be had, as one sentence
   * @param {string} remedy the one command, or the one thing to do, that gets it
   */
  constructor(missing, remedy) {
    super(missing);
    this.name = 'SetupFault';
    this.remedy = remedy;
  }
}

/**
 * Runs `main` as the body of a command: a SetupFault becomes two plain lines and exit status 1, anything else keeps
 * its stack, because it is a fault of ours.
 * @param {() => Promise<number | void>} main resolves to the exit status; nothing means 0
 */
export async function runCommand(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof SetupFault) console.error(`\nMissing: ${error.message}\nTo get it: ${error.remedy}`);
    else console.error(error);
  }
}
