import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { conversationId, runId } from '../../../../src/agentkit/index.ts';
import { termindOutputPolicies } from '../../../../src/application/tools/outputPolicies.ts';
import { termindTools } from '../../../../src/application/tools/termindTools.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

describe('the output policies', () => {
  for (const [tool, kind, strategy] of [
    ['ssh_exec_run', 'ssh-exec', 'tail'],
    ['ssh_exec_output', 'ssh-exec-output', 'tail'],
    ['fetch', 'fetch', 'head'],
    ['web_search', 'web-search', 'head'],
  ] as const) {
    it(`keep the ${strategy} of ${tool} and name its file after the conversation`, () => {
      const policy = termindOutputPolicies[tool];
      const path = policy?.capturePath?.({
        conversationId: conversationId('c1'),
        runId: runId('r1'),
        toolName: tool,
      });
      assert.equal(policy?.strategy, strategy);
      assert.match(path ?? '', new RegExp(`^c1/outputs/${kind}-${uuid}\\.txt$`));
    });

    it(`name the file of ${tool} after the run where there is no conversation, anew each time`, () => {
      const factory = termindOutputPolicies[tool]?.capturePath;
      const paths = [1, 2].map(() => factory?.({ runId: runId('r1'), toolName: tool }) ?? '');
      for (const path of paths) assert.match(path, new RegExp(`^r1/outputs/${kind}-${uuid}\\.txt$`));
      assert.notEqual(paths[0], paths[1]);
    });
  }

  it('name every tool of ours, and only commands and what comes from the web capture', () => {
    for (const { descriptor } of termindTools())
      assert.ok(termindOutputPolicies[descriptor.name], descriptor.name);
    const capturing = Object.entries(termindOutputPolicies).flatMap(([name, policy]) =>
      policy.capturePath === undefined ? [] : [name],
    );
    assert.deepEqual(capturing, ['ssh_exec_run', 'ssh_exec_output', 'fetch', 'web_search']);
  });
});
