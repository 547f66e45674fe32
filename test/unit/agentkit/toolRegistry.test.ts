import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createToolRegistry, qualifiedName, type Tool } from '../../../src/agentkit/index.ts';
import { probeTool } from './support/probeTool.ts';

function mcp(server: string, name: string): Tool {
  return probeTool(`mcp__${server}__${name}`, { descriptor: { namespace: server, target: 'mcp' } });
}

describe('the tools of a run', () => {
  it('are sorted by qualified name, whatever the order of registration', () => {
    const registry = createToolRegistry({
      builtIn: [probeTool('scratch_read'), probeTool('fetch')],
      additional: [probeTool('ssh_exec_run'), probeTool('list_hosts')],
      mcp: [mcp('jira', 'search')],
    });
    assert.deepEqual(
      registry.tools.map((tool) => qualifiedName(tool.descriptor)),
      ['fetch', 'jira.mcp__jira__search', 'list_hosts', 'scratch_read', 'ssh_exec_run'],
    );
  });

  it('the first holder of a name keeps it', () => {
    const [builtIn, ours, remote] = [probeTool('fetch'), probeTool('fetch'), probeTool('fetch')];
    assert.equal(
      createToolRegistry({ builtIn: [builtIn], additional: [ours], mcp: [remote] }).find('fetch'),
      builtIn,
    );
    assert.equal(createToolRegistry({ builtIn: [], additional: [ours], mcp: [remote] }).find('fetch'), ours);
  });

  it('a request carries at most 128 tools: ours always, then those of servers in their order', () => {
    const ours = Array.from({ length: 126 }, (_, at) => probeTool(`own_${String(at)}`));
    const registry = createToolRegistry({
      builtIn: ours,
      additional: [],
      mcp: [mcp('b', 'one'), mcp('a', 'one'), mcp('a', 'two'), mcp('c', 'one')],
    });
    assert.equal(registry.modelTools().length, 128);
    assert.deepEqual(registry.leftOut, ['mcp__a__two', 'mcp__c__one']);
    assert.equal(registry.find('mcp__c__one'), undefined);
  });

  it('tools for reviews only are not shown to the model', () => {
    const registry = createToolRegistry({
      builtIn: [probeTool('look', { descriptor: { modes: ['reviewing'] } }), probeTool('act')],
      additional: [],
    });
    assert.deepEqual(
      registry.modelTools().map((tool) => tool.name),
      ['act'],
    );
  });
});
