import { z } from 'zod';
import {
  defineTool,
  scratchPathHint,
  scratchPathInput,
  type Tool,
  type ToolContext,
} from '../../agentkit/index.ts';
import { sha256Of } from '../../domain/files/contentStamp.ts';
import { hostId, remotePath } from './execInput.ts';
import { pathOf } from './fileCall.ts';
import { digestInput, modeInput, modeOf, remotePathHint } from './fileInput.ts';
import { ToolService } from './keys.ts';
import { reviewWrite, writeContent, type ContentWrite } from './writeContent.ts';

const input = z.strictObject({
  host_id: hostId,
  scratch_path: scratchPathInput.describe(scratchPathHint),
  remote_path: remotePath.describe(remotePathHint),
  overwrite: z.boolean().optional().describe('Replace a file that is there.'),
  mode: modeInput.optional().describe('Octal; what the file has, or 0644 for a new one, when absent.'),
  expected_sha256: digestInput
    .optional()
    .describe('Fail unless the file on the host holds this content now; for files up to 8 MiB.'),
});
type Arguments = z.output<typeof input>;

const changedScratch = 'The file in scratch was changed after it was shown, so nothing was written.';
const bytesFact = 'pushedBytes';

/** Source: tools.md, `scratch_push`. */
export function scratchPush(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'scratch_push',
      summary:
        'Writes a file of scratch, any bytes, to a host, in the way of sftp_write. The user decides about exactly this content first.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'parallel',
      presentation: {
        symbol: 'cloud-upload',
        activity: 'Copying a scratch file to a host',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: async (args, context) => {
      const bytes = await read(args, context);
      const preflight = await reviewWrite(
        writeOf(args, bytes),
        {
          content: {
            sha256: sha256Of(bytes),
            digestNow: async (signal) =>
              sha256Of(await context.services.get(ToolService.scratch).read(args.scratch_path, signal)),
          },
        },
        context,
      );
      if (preflight.facts === undefined) return preflight;
      return { ...preflight, facts: new Map([...preflight.facts, [bytesFact, sha256Of(bytes)]]) };
    },
    execute: async (args, context) => {
      const bytes = await read(args, context);
      if (sha256Of(bytes) !== context.preflightFacts.get(bytesFact))
        return { kind: 'failure', sentence: changedScratch };
      return writeContent(writeOf(args, bytes), context, ({ created }) => ({
        scratch_path: args.scratch_path,
        remote_path: args.remote_path,
        overwritten: !created,
      }));
    },
  });
}

function read(args: Arguments, { services, signal }: ToolContext): Promise<Uint8Array> {
  return services.get(ToolService.scratch).read(args.scratch_path, signal);
}

function writeOf(args: Arguments, bytes: Uint8Array): ContentWrite {
  return {
    hostId: args.host_id,
    tool: 'scratch_push',
    path: pathOf(args.remote_path),
    bytes,
    mustBeNew: args.overwrite !== true,
    mode: args.mode === undefined ? undefined : modeOf(args.mode),
    expectedSha256: args.expected_sha256,
    source: `${args.scratch_path} (scratch)`,
  };
}
