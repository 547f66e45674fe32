const tasks = new Set<() => void>();
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

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
    runAll();
    process.exit(status);
  },
}));

function listen(): void {
  process.on('exit', runAll);
  for (const { signal, handle } of handlers) process.on(signal, handle);
}

function unlisten(): void {
  process.off('exit', runAll);
  for (const { signal, handle } of handlers) process.off(signal, handle);
}

/**
 * Runs `task` when this process ends by itself or by SIGINT, SIGTERM or SIGHUP, newest task first, so that nothing
 * of the lab outlives its test. The task is synchronous: nothing asynchronous runs while a process exits. Returns
 * the function that takes the task back; whoever has cleaned up itself calls it. Without tasks no signal handler
 * is installed. SIGKILL runs nothing.
 */
export function onProcessEnd(task: () => void): () => void {
  if (tasks.size === 0) listen();
  tasks.add(task);
  return () => {
    if (tasks.delete(task) && tasks.size === 0) unlisten();
  };
}
