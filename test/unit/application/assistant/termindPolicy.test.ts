import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createToolRegistry, sortedJson, toJsonObject } from '../../../../src/agentkit/index.ts';
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
    const tools = createToolRegistry({ builtIn: [], additional: termindTools() }).modelTools();
    const text = tools.map(
      (tool) => `${tool.name}\n${tool.description}\n${sortedJson(toJsonObject(tool.inputSchema))}\n`,
    );
    assertGolden('assistant/tools.txt', text.join('\n'));
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
