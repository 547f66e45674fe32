/** `npm start [-- --fresh] [--no-open] [--port N] [--slow ms]`: see `start/start.ts`. */
import { start } from './start/start.ts';
import { runCommand } from './setup/setupFault.mjs';

await runCommand(() => start(process.argv.slice(2)));
