import {
  approvalId,
  callId,
  conversationId,
  runId,
  type ApprovalRequest,
  type ToolDescriptor,
} from '../../../../src/agentkit/index.ts';

const descriptor: ToolDescriptor = {
  name: 'ssh_exec_run',
  summary: 'runs',
  inputSchema: { type: 'object', additionalProperties: false, properties: {} },
  target: 'host',
  safety: 'requiresAuthorization',
  concurrency: 'sequential',
  modes: ['planning', 'acting'],
  presentation: { symbol: 'terminal', activity: 'Running', actionKind: 'execute', groupsWithAdjacent: false },
};

export const conversation = conversationId('11111111-1111-4111-8111-111111111111');

/** A question to the gate, with the given parts replaced. */
export function approvalRequest(parts: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: approvalId('a1'),
    runId: runId('r1'),
    conversationId: conversation,
    callId: callId('call_1'),
    descriptor,
    invocation: { name: 'ssh_exec_run', arguments: { command: 'rm /tmp/a' } },
    subject: {
      action: 'rm /tmp/a',
      target: 'lab',
      targetId: 'h1',
      identity: 'root',
      tier: '',
      details: [],
    },
    userIntent: 'tidy up',
    reasons: ['rm deletes files.'],
    alwaysAskUser: false,
    mode: 'ask',
    canGrant: false,
    isEdited: false,
    digest: 'd1',
    ...parts,
  };
}
