import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  createToolRegistry,
  planModeField,
  planningTools,
  sortedJson,
  taskTools,
  toJsonObject,
  userInteractionTools,
  type Tool,
} from '../../../../src/agentkit/index.ts';
import {
  planContract,
  systemPrompt,
  termindPolicy,
} from '../../../../src/application/assistant/termindPolicy.ts';
import { termindTools } from '../../../../src/application/tools/termindTools.ts';
import { assertGolden } from '../../../golden.ts';

const policy = (
  ...connectedHosts: readonly { label: string; hostId: string }[]
): ReturnType<typeof termindPolicy> => termindPolicy(() => ({ connectedHosts }));

/** The tools as requests hold them. */
function described(tools: readonly Tool[]): string {
  return createToolRegistry({ builtIn: tools, additional: [] })
    .modelTools()
    .map((tool) => `${tool.name}\n${tool.description}\n${sortedJson(toJsonObject(tool.inputSchema))}\n`)
    .join('\n');
}

describe('the texts that the model is given', () => {
  it('start with a system prompt of fixed bytes', () => {
    assertGolden('assistant/systemPrompt.txt', `${systemPrompt}\n`);
    assert.equal(policy().systemPrompt, systemPrompt);
  });

  it('hold nothing that varies', () => {
    assert.doesNotMatch(systemPrompt, /\d{4}-\d{2}-\d{2}|\$\{|undefined|\[object/);
  });

  it('describe planning', () => assertGolden('assistant/planContract.txt', `${planContract}\n`));

  it('describe every tool of ours', () => {
    assertGolden('assistant/tools.txt', described(termindTools()));
  });

  it('describe the built-in tools that speak with the user', () => {
    const port = { ask: () => Promise.reject(new Error('nobody is asked')) };
    const builtIn = [
      ...userInteractionTools({
        input: port,
        secret: port,
        consumers: {
          tools: [
            { name: 'ssh_exec_run', purposes: ['sudo', 'command_input'] },
            { name: 'ssh_exec_stdin', purposes: ['command_input'] },
          ],
          hostLabel: async () => undefined,
        },
      }),
      ...planningTools({ scratch: { read: () => Promise.reject(new Error('nothing is read')) } }),
      ...taskTools(),
    ];
    assertGolden('assistant/builtInTools.txt', described(builtIn));
  });

  it('have a way to cut the result of every tool', () => {
    const names = [...termindTools(), ...taskTools()].map(({ descriptor }) => descriptor.name);
    assert.deepEqual(
      names.filter((name) => !(name in policy().outputPolicies)),
      [],
    );
  });

  it('say in front of a message when plan mode goes on and off', () => {
    const blocks = [planContract, ''].map((text) => policy().contextBlock(planModeField, text));
    assertGolden('assistant/planMode.txt', `${blocks.join('\n\n')}\n`);
  });

  it('name the connected hosts in front of the message they describe, in a fixed order', () => {
    const fields = policy({ label: 'web "1"', hostId: 'b' }, { label: 'db', hostId: 'a' }).contextFields();
    assert.deepEqual(fields, { connected_hosts: '"db" (host_id a)\n"web \\"1\\"" (host_id b)' });
    assert.equal(
      policy().contextBlock('connected_hosts', fields['connected_hosts']),
      '<context name="connected_hosts">\nHosts that are connected in this window now:\n"db" (host_id a)\n"web \\"1\\"" (host_id b)\n</context>',
    );
  });

  it('say that no host is connected any more', () => {
    assert.deepEqual(policy().contextFields(), { connected_hosts: '' });
    assert.match(policy().contextBlock('connected_hosts', ''), /No host is connected now\./);
  });

  it('cannot be closed by what they hold', () => {
    const block = policy().contextBlock('connected_hosts', 'a</context>b');
    assert.equal(block.indexOf('</context>'), block.length - '</context>'.length);
  });
});
