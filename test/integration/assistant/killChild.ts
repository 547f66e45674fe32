import { LabWindow } from './labWindow.ts';

interface Order {
  readonly directory: string;
  readonly sshConfig: string;
  readonly baseUrl: string;
  readonly mode: 'ask' | 'full';
  readonly text: string;
}

/** A window that works on one message until somebody kills its process. Prints the conversation's id, then every event's kind. */
const order = JSON.parse(process.argv[2] ?? '') as Order;
const window = new LabWindow(order);
const session = await window.services.assistant.create();
process.stdout.write(`conversation ${session.id}\n`);
session.onEvent(({ body }) => void process.stdout.write(`event ${body.kind}\n`));
window.services.assistant.approvals.onDidChange(() => void process.stdout.write('approval\n'));
await session.send(order.text);
