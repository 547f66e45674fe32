import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runId } from '../../../../src/agentkit/ids.ts';
import { OutputProjector } from '../../../../src/agentkit/output/outputProjector.ts';
import type { ProjectionRequest } from '../../../../src/agentkit/output/projectionPort.ts';
import { createRedactor } from '../../../../src/agentkit/redaction/createRedactor.ts';
import { KnownSecrets } from '../../../../src/agentkit/redaction/knownSecrets.ts';
import { recordingCapture, resultOf } from './projectionFixtures.ts';

const descriptor: ProjectionRequest['descriptor'] = {
  name: 'probe',
  summary: '',
  inputSchema: {},
  target: 'local',
  safety: 'locallyReadOnly',
  concurrency: 'parallel',
  modes: ['acting'],
  body: { field: 'content', kind: 'text' },
  presentation: { symbol: '', activity: '', actionKind: '', groupsWithAdjacent: false },
};

describe('the projection of a call', () => {
  it('redacts metadata, body and saved text, and captures as the policy says', async () => {
    const known = new KnownSecrets();
    known.add(Buffer.from('hunter2!'));
    const capture = recordingCapture({ kind: 'saved', path: 'r/outputs/probe-1.txt' });
    const asked: unknown[] = [];
    const projector = new OutputProjector({
      redactor: createRedactor(known),
      captures: {
        forCall: (policy, context) => {
          asked.push([policy.strategy, context.toolName]);
          return policy.capturePath && capture;
        },
      },
    });
    const content = `hunter2!\n${'x\n'.repeat(2_000)}`;
    const projection = await projector.project({
      descriptor,
      policy: { strategy: 'head', capturePath: () => 'unused' },
      outcome: { kind: 'success', fields: { api_key: 'x', note: 'hunter2!' }, body: { content } },
      context: { runId: runId('r'), toolName: 'probe' },
    });
    const { content: shown, ...fields } = resultOf(projection);
    assert.ok(typeof shown === 'string' && shown.startsWith('[redacted]\nx\n'));
    assert.deepEqual(fields, {
      api_key: '[redacted]',
      full_output_path: 'r/outputs/probe-1.txt',
      marker: '[Showing lines 1-2000 of 2001. Full output: r/outputs/probe-1.txt]',
      note: '[redacted]',
      returned_lines: 2_000,
      total_lines: 2_001,
      truncated: true,
    });
    assert.deepEqual(capture.saved, [content.replace('hunter2!', '[redacted]')]);
    assert.deepEqual(asked, [['head', 'probe']]);
  });
});
