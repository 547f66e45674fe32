import { z } from 'zod';
import {
  defineTool,
  type Preflight,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from '../../../../src/agentkit/index.ts';

const anyInput = z.strictObject({ value: z.string().optional(), number: z.int().optional() });
export type ProbeInput = z.output<typeof anyInput>;

export interface ProbeOptions {
  readonly descriptor?: Partial<ToolDefinition<typeof anyInput>['descriptor']>;
  readonly preflight?: (args: ProbeInput, context: ToolContext) => Promise<Preflight> | Preflight;
  readonly execute?: (args: ProbeInput, context: ToolContext) => Promise<ToolOutcome> | ToolOutcome;
}

/** A tool of tests: read-only and parallel, echoes its argument. Everything can be changed. */
export function probeTool(name = 'probe', options: ProbeOptions = {}): Tool {
  const { preflight, execute } = options;
  return defineTool<typeof anyInput>({
    input: anyInput,
    descriptor: {
      name,
      summary: `The probe called ${name}.`,
      target: 'local',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      presentation: { symbol: 'beaker', activity: 'Probes', actionKind: 'probe', groupsWithAdjacent: false },
      ...options.descriptor,
    },
    ...(preflight && { preflight: async (args, context) => preflight(args, context) }),
    execute: async (args, context) =>
      execute === undefined ? success({ echo: args.value ?? '' }) : execute(args, context),
  });
}

/** Another one, whose argument has to be there. */
export function needyTool(name: string): Tool {
  return defineTool({
    input: z.strictObject({ value: z.string() }),
    descriptor: { ...probeTool(name).descriptor, concurrency: 'parallel' },
    execute: async ({ value }) => success({ echo: value }),
  });
}

export function success(fields: Record<string, string | number>): ToolOutcome {
  return { kind: 'success', fields };
}
