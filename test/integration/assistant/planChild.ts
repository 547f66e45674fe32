import { conversationId } from '../../../src/agentkit/index.ts';
import { LabWindow } from './labWindow.ts';

interface Order {
  readonly directory: string;
  readonly baseUrl: string;
  readonly conversation: string;
  readonly plan: string;
}

/** A window that implements a plan until somebody kills its process. Says when it begins, then prints every event's kind. */
const order = JSON.parse(process.argv[2] ?? '') as Order;
const window = new LabWindow({ sshConfig: '', baseUrl: order.baseUrl, directory: order.directory });
const session = await window.services.assistant.open(conversationId(order.conversation));
if (session === undefined) throw new Error('there is no such conversation');
session.onEvent(({ body }) => void process.stdout.write(`event ${body.kind}\n`));
process.stdout.write('implementing\n');
await session.implementPlan(order.plan);
