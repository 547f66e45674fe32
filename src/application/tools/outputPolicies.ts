import { randomUUID } from 'node:crypto';
import type { CaptureContext, OutputPolicies } from '../../agentkit/index.ts';

/**
 * The complete scratch-relative path of a capture: `<conversation or run>/outputs/<kind>-<UUID>.txt`. Another UUID each time, so
 * that a taken name can be tried again. Source: seed 0, "Paths and Shared Scratch".
 */
export function capturePathFor(kind: string): (context: CaptureContext) => string {
  return (context) => `${context.conversationId ?? context.runId}/outputs/${kind}-${randomUUID()}.txt`;
}

/** How each tool's result is cut and what is captured; every tool is listed. Source: seed 0, "Model Strategies". */
export const termindOutputPolicies: OutputPolicies = {
  list_hosts: { strategy: 'head' },
  ssh_exec_run: { strategy: 'tail', capturePath: capturePathFor('ssh-exec') },
  ssh_exec_output: { strategy: 'tail', capturePath: capturePathFor('ssh-exec-output') },
  ssh_exec_list: { strategy: 'head' },
  ssh_exec_stdin: { strategy: 'head' },
  ssh_exec_cancel: { strategy: 'head' },
  sftp_list: { strategy: 'head' },
  sftp_stat: { strategy: 'head' },
  sftp_read: { strategy: 'head' },
  sftp_write: { strategy: 'head' },
  sftp_mkdir: { strategy: 'head' },
  sftp_move: { strategy: 'head' },
  sftp_copy: { strategy: 'head' },
  sftp_chmod: { strategy: 'head' },
  sftp_delete: { strategy: 'head' },
  scratch_pull: { strategy: 'head' },
  scratch_push: { strategy: 'head' },
  scratch_list: { strategy: 'head' },
  scratch_read: { strategy: 'head' },
  scratch_search: { strategy: 'head' },
  scratch_diff: { strategy: 'head' },
  scratch_write: { strategy: 'head' },
  scratch_replace: { strategy: 'head' },
  scratch_copy: { strategy: 'head' },
  scratch_move: { strategy: 'head' },
  scratch_delete: { strategy: 'head' },
  fetch: { strategy: 'head', capturePath: capturePathFor('fetch') },
  scratch_fetch: { strategy: 'head' },
  web_search: { strategy: 'head', capturePath: capturePathFor('web-search') },
  request_user_input: { strategy: 'head' },
  request_user_secret: { strategy: 'bypass' },
  present_plan: { strategy: 'head' },
  manage_tasks: { strategy: 'head' },
};
