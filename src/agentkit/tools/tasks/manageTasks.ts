import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import { shownText } from '../../schemas.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../tool.ts';
import { taskStatuses, type AgentTask } from './agentTask.ts';

export const manageTasksTool = 'manage_tasks';

const task = z.strictObject({
  id: shownText(64),
  title: shownText(200),
  status: z.enum(taskStatuses),
});

const input = z.strictObject({
  tasks: z
    .array(task)
    .max(20)
    .refine((tasks) => new Set(tasks.map(({ id }) => id)).size === tasks.length, {
      error: 'ids must be unique',
    })
    .refine((tasks) => tasks.filter(({ status }) => status === 'in_progress').length <= 1, {
      error: 'at most one task may be in progress',
    })
    .describe('The whole list; what is not in it is gone.'),
});

/** The built-in group `tasks`. Source: agent runtime contract, section 15. */
export function taskTools(): readonly Tool[] {
  return [manageTasks()];
}

/** Replaces the model's list of tasks, which the user sees. Source: tool contract, `manage_tasks`. */
function manageTasks(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: manageTasksTool,
      summary:
        'Replaces your list of tasks, which the user sees. For work of several steps: write the list down, keep at most one task in progress, mark a task completed as soon as it is done and checked. Not for a single step.',
      target: 'local',
      safety: 'locallyContained',
      concurrency: 'sequential',
      modes: ['acting'],
      presentation: {
        symbol: 'tasklist',
        activity: 'Updating tasks',
        presenterId: 'tasks',
        actionKind: 'update',
        groupsWithAdjacent: true,
      },
    },
    execute: async ({ tasks }, context) => replace(tasks, context),
  });
}

function replace(tasks: readonly AgentTask[], context: ToolContext): ToolOutcome {
  context.announce({ kind: 'tasksUpdated', callId: context.callId, tasks });
  const completed = tasks.filter(({ status }) => status === 'completed').length;
  return {
    kind: 'success',
    fields: { tasks: tasks.length, completed },
    presentation: { tasks: tasks.map(({ id, title, status }) => ({ id, title, status })) },
  };
}
