import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import { nonBlank, shownText } from '../../schemas.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../tool.ts';

export const presentPlanTool = 'present_plan';

/** What is kept with the result: the whole plan, also where the result is cut. For cards and for the run that implements it. */
export const presentedPlan = z.object({
  title: z.string(),
  scratchPath: z.string(),
  plan: z.string(),
});
export type PresentedPlan = z.output<typeof presentedPlan>;

const input = z.strictObject({
  title: shownText(120),
  scratch_path: nonBlank(1_024).describe('The file with the plan.'),
});

const maxPlanBytes = 64 * 1_024;

/** The built-in group `planning`. Without scratch there is no plan to present. Source: agent runtime contract, section 15. */
export function planningTools(ports: {
  readonly scratch?: Pick<ScratchWorkspace, 'read'> | undefined;
}): readonly Tool[] {
  return ports.scratch === undefined ? [] : [presentPlan(ports.scratch)];
}

/** Hands a plan over and ends the run after its turn. Source: tool contract, `present_plan`. */
function presentPlan(scratch: Pick<ScratchWorkspace, 'read'>): Tool {
  return defineTool({
    input,
    descriptor: {
      name: presentPlanTool,
      summary:
        'Hands the plan in a scratch file over to the user and ends your work on this message. The user reads the whole plan and decides whether it is implemented; that is a new message. At most 64 KiB of UTF-8 text.',
      target: 'user',
      safety: 'locallyReadOnly',
      concurrency: 'sequential',
      body: { field: 'plan', kind: 'text' },
      endsRun: true,
      presentation: {
        symbol: 'checklist',
        activity: 'Presenting a plan',
        presenterId: 'plan',
        actionKind: 'present',
        groupsWithAdjacent: false,
      },
    },
    execute: ({ title, scratch_path: path }, context) => present(scratch, { title, path }, context),
  });
}

async function present(
  scratch: Pick<ScratchWorkspace, 'read'>,
  { title, path }: { readonly title: string; readonly path: string },
  context: ToolContext,
): Promise<ToolOutcome> {
  const bytes = await scratch.read(path, context.signal);
  if (bytes.length > maxPlanBytes)
    return failure(
      `A plan has at most ${String(maxPlanBytes)} bytes; this file has ${String(bytes.length)}.`,
    );
  const plan = utf8(bytes);
  if (plan === undefined) return failure('The file is not UTF-8 text.');
  if (plan.trim() === '') return failure('The file is blank.');
  const presented: PresentedPlan = { title, scratchPath: path, plan };
  context.announce({ kind: 'planPresented', callId: context.callId, ...presented });
  return {
    kind: 'success',
    fields: { presented: true, scratch_path: path },
    body: { content: plan },
    presentation: presented,
  };
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function failure(sentence: string): ToolOutcome {
  return { kind: 'failure', sentence };
}
