import type { CallCapture, CaptureResult } from '../../../../src/agentkit/capture/callCapture.ts';
import type { JsonObject } from '../../../../src/agentkit/json.ts';
import { readResultText } from '../../../../src/agentkit/output/envelope.ts';
import type { Projection } from '../../../../src/agentkit/output/projectionPort.ts';
import { projectResult, type ProjectionInput } from '../../../../src/agentkit/output/projectResult.ts';
import type { Redactor } from '../../../../src/agentkit/redactor.ts';
import type { BodySpec, OutputStrategy, ToolBody } from '../../../../src/agentkit/tool.ts';

/** Changes nothing, so that exact bytes can be asserted. */
export const openRedactor: Redactor = {
  redact: (text) => text,
  redactJson: (value) => value,
  stream: () => {
    throw new Error('not used here');
  },
  live: () => {
    throw new Error('not used here');
  },
};

export const textBody: BodySpec = { field: 'content', kind: 'text' };

export interface Probe {
  readonly body: ToolBody;
  readonly strategy?: OutputStrategy;
  readonly spec?: BodySpec;
  readonly fields?: JsonObject;
  readonly droppable?: readonly string[];
  readonly capture?: CallCapture;
  readonly limits?: Pick<ProjectionInput, 'maxBytes' | 'maxLines' | 'framing'>;
}

/** The tool `probe` of the contract: body `content`, no metadata unless given. */
export function project(probe: Probe): Promise<Projection> {
  const {
    body,
    strategy = 'head',
    spec = textBody,
    fields = {},
    droppable = [],
    capture,
    limits = {},
  } = probe;
  return projectResult(
    {
      outcome: { kind: 'success', fields, body },
      descriptor: { body: spec, droppable },
      strategy,
      redactor: openRedactor,
      capture,
      ...limits,
    },
    new AbortController().signal,
  );
}

/** The object between the tags. Throws when the text is not exactly one envelope around JSON. */
export function resultOf(projection: Projection): JsonObject {
  const { text } = projection;
  if (text.split('</untrusted-data>').length !== 2)
    throw new Error('the envelope does not close exactly once');
  const result = readResultText(text);
  if (result === undefined) throw new Error(`not an envelope: ${text.slice(0, 80)}`);
  return result;
}

export function bytesOf(projection: Projection): number {
  return Buffer.byteLength(projection.text, 'utf8');
}

/** Remembers what was saved and answers as told. */
export function recordingCapture(answer: CaptureResult): CallCapture & { readonly saved: string[] } {
  const saved: string[] = [];
  return {
    saved,
    save: async (bytes) => {
      saved.push(Buffer.from(bytes).toString('utf8'));
      return answer;
    },
    grow: () => {
      throw new Error('not used here');
    },
  };
}
