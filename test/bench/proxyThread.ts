import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { startFaultProxy, type Faults } from '../lab/faultProxy.ts';

/** A proxy on a thread of its own, so that it takes no time from whoever is measured. Whoever starts it stops it. */
export interface ProxyThread {
  readonly port: number;
  stop(): Promise<void>;
}

const started = z.object({ port: z.number() });
const wanted = z.object({
  port: z.number(),
  faults: z.object({ delayMs: z.number(), bytesPerSecond: z.number().optional() }),
});

export async function startProxyThread(port: number, faults: Faults): Promise<ProxyThread> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, faults } });
  const message = started.parse((await once(worker, 'message'))[0]);
  return {
    port: message.port,
    stop: async () => {
      await worker.terminate();
    },
  };
}

if (parentPort !== null) {
  const { port, faults } = wanted.parse(workerData);
  const { delayMs, bytesPerSecond } = faults;
  const proxy = await startFaultProxy(
    { port },
    { delayMs, ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }) },
  );
  parentPort.postMessage({ port: proxy.port });
}
