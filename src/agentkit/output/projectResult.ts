import type { CallCapture, CaptureResult } from '../capture/callCapture.ts';
import type { JsonObject } from '../json.ts';
import type { Redactor } from '../redactor.ts';
import type { OutputStrategy, ToolBody, ToolDescriptor, ToolOutcome } from '../tool.ts';
import {
  BodyProjection,
  defaultCeiling,
  withinCeiling,
  type Ceiling,
  type Projected,
} from './bodyProjection.ts';
import { cutSentence } from './cutSentence.ts';
import { resultBytes, resultText, type Framing } from './envelope.ts';
import { dropOversize } from './oversizeMetadata.ts';
import type { Projection } from './projectionPort.ts';

export interface ProjectionInput {
  readonly outcome: ToolOutcome;
  readonly descriptor: Pick<ToolDescriptor, 'body' | 'droppable'>;
  readonly strategy: OutputStrategy;
  readonly redactor: Redactor;
  /** Absent: nothing is captured. */
  readonly capture?: CallCapture | undefined;
  /** A caller's token budget (4 bytes each) or a reviewer's smaller ceiling. Defaults: 65,536 bytes and 2,000 lines. */
  readonly maxBytes?: number;
  readonly maxLines?: number;
  /** Default `envelope`. */
  readonly framing?: Framing;
}

/**
 * Redacts one outcome, cuts it by whole lines to the ceiling, captures what was cut and freezes the text. The only place that
 * truncates for a model. A failed capture is a field of the result. Rejects only when the tool broke its own contract (a body of
 * another kind, a cursor above 512 bytes). Linear in the size of the outcome.
 * Source: seed 0; agent runtime contract, section 8.
 */
export async function projectResult(input: ProjectionInput, signal: AbortSignal): Promise<Projection> {
  const { outcome, redactor } = input;
  const ceiling = {
    bytes: input.maxBytes ?? defaultCeiling.bytes,
    lines: input.maxLines ?? defaultCeiling.lines,
  };
  switch (outcome.kind) {
    case 'failure':
      return { isError: true, ...cutSentence(redactor.redact(outcome.sentence), ceiling) };
    case 'foreignFailure':
      return { ...(await projectObject(input, outcome, { ceiling, signal })), isError: true };
    case 'success':
      return { ...(await projectObject(input, outcome, { ceiling, signal })), isError: false };
  }
}

async function projectObject(
  input: ProjectionInput,
  result: { readonly fields: JsonObject; readonly body?: ToolBody; readonly strategy?: 'bypass' },
  bounds: { readonly ceiling: Ceiling; readonly signal: AbortSignal },
): Promise<Projected> {
  const { redactor, framing = 'envelope' } = input;
  const strategy = result.strategy ?? input.strategy;
  if (strategy === 'bypass') return bypass(result, redactor, framing);
  const fields = redactor.redactJson(result.fields);
  const spec = input.descriptor.body;
  if (result.body === undefined || spec === undefined) {
    if (strategy === 'none') return { text: resultText(fields, framing), truncated: false };
    const excess = (reduced: JsonObject): number => resultBytes(reduced, framing) - bounds.ceiling.bytes;
    const kept = dropOversize(fields, input.descriptor.droppable ?? [], excess);
    return { text: withinCeiling(resultText(kept, framing), bounds.ceiling), truncated: false };
  }
  const { content } = result.body;
  const body = {
    ...result.body,
    content: typeof content === 'string' ? redactor.redact(content) : redactor.redactJson(content),
  };
  const { droppable = [] } = input.descriptor;
  const projection = new BodyProjection({
    spec,
    body,
    fields,
    droppable,
    strategy,
    framing,
    ceiling: bounds.ceiling,
  });
  if (strategy === 'none') return projection.uncut();
  const fitting = projection.fitting();
  if (fitting !== undefined) return fitting;
  return projection.cut(input.capture && (await save(body, input.capture, bounds.signal)));
}

/** Secrets and `SKILL.md`: a text body stands alone, everything else is enveloped as it is. */
function bypass(
  result: { readonly fields: JsonObject; readonly body?: ToolBody },
  redactor: Redactor,
  framing: Framing,
): Projected {
  const content = result.body?.content;
  if (typeof content === 'string') return { text: redactor.redact(content), truncated: false };
  return { text: resultText(result.fields, framing), truncated: false };
}

/** Without a text of its own the body is saved as it was cut from: text as it is, items one to a line. */
function save(body: ToolBody, capture: CallCapture, signal: AbortSignal): Promise<CaptureResult> {
  if (body.full !== undefined) return body.full.save(capture, signal);
  const { content } = body;
  const text =
    typeof content === 'string' ? content : content.map((item) => `${JSON.stringify(item)}\n`).join('');
  return capture.save(Buffer.from(text, 'utf8'), signal);
}
