const tasks = new Set<() => void>();
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
let graceful: (() => Promise<void>) | undefined;
let isListening = false;

function runAll(): void {
  for (const task of [...tasks].reverse()) {
    tasks.delete(task);
    try {
      task();
    } catch (error) {
      console.error(`lab: cleaning up failed: ${String(error)}`);
    }
  }
}

const handlers = Object.entries(signals).map(([signal, status]) => ({
  signal,
  handle: () => {
    const stop = graceful;
    graceful = undefined; // a second signal does not wait
    // Exiting runs the tasks that are left.
    if (stop === undefined) process.exit(status);
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  },
}));

function listen(): void {
  const isWanted = tasks.size > 0 || graceful !== undefined;
  if (isWanted === isListening) return;
  isListening = isWanted;
  const change = isWanted ? 'on' : 'off';
  process[change]('exit', runAll);
  for (const { signal, handle } of handlers) process[change](signal, handle);
}

/**
 * Runs `task` when this process ends by itself or by SIGINT, SIGTERM or SIGHUP, newest task first, so that nothing
 * of the lab outlives its test. The task is synchronous: nothing asynchronous runs while a process exits. Returns
 * the function that takes the task back; whoever has cleaned up itself calls it. Without tasks no signal handler
 * is installed. SIGKILL runs nothing.
 */
export function onProcessEnd(task: () => void): () => void {
  tasks.add(task);
  listen();
  return () => {
    tasks.delete(task);
    listen();
  };
}

/**
 * For a command that a person ends with Ctrl-C: the first such signal runs `stop` and then exits with status 0, a
 * second one exits at once. Tasks of {@link onProcessEnd} that `stop` did not take back run in either case.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  graceful = stop;
  listen();
}
