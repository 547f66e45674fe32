import { z } from 'zod';

export const taskStatuses = ['pending', 'in_progress', 'completed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** One step of the model's own list. Redacted. */
export interface AgentTask {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
}

/** What is kept with the result of `manage_tasks`, for views. */
export const keptTasks = z.object({
  tasks: z.array(z.object({ id: z.string(), title: z.string(), status: z.enum(taskStatuses) })).readonly(),
});
