import { z } from 'zod';
import { contentInput, defineTool, refuseRedactedMark, type Tool } from '../../agentkit/index.ts';
import { sha256Of } from '../../domain/files/contentStamp.ts';
import { hostId } from './execInput.ts';
import { pathOf } from './fileCall.ts';
import { digestInput, modeInput, modeOf, pathInput } from './fileInput.ts';
import { reviewWrite, writeContent, type ContentWrite } from './writeContent.ts';

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  content: contentInput.describe('The whole file.'),
  create_only: z.boolean().optional().describe('Fail when there is a file already.'),
  mode: modeInput.optional().describe('Octal; what the file has, or 0644 for a new one, when absent.'),
  expected_sha256: digestInput
    .optional()
    .describe('Fail unless the file holds this content now; for files up to 8 MiB.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_write`. */
export function sftpWrite(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_write',
      summary:
        'Writes a whole text file on a host. The host holds the old or the new content at every moment, and a file that has changed since the user was asked is left alone. Owner and mode stay where they can, and a link keeps pointing at its file. The user decides about it first.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      editedArgument: 'content',
      presentation: {
        symbol: 'save',
        activity: 'Writing a file',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => {
      const write = writeOf(args);
      const sha256 = sha256Of(write.bytes);
      return reviewWrite(
        write,
        {
          content: { sha256, digestNow: async () => sha256Of(write.bytes) },
          check: (found) => refuseRedactedMark(args.content, found.k === 'read' ? found.content : undefined),
        },
        context,
      );
    },
    execute: (args, context) =>
      writeContent(writeOf(args), context, ({ created }) => ({ path: args.path, created })),
  });
}

function writeOf(args: Arguments): ContentWrite {
  return {
    hostId: args.host_id,
    tool: 'sftp_write',
    path: pathOf(args.path),
    bytes: Buffer.from(args.content, 'utf8'),
    mustBeNew: args.create_only ?? false,
    mode: args.mode === undefined ? undefined : modeOf(args.mode),
    expectedSha256: args.expected_sha256,
    source: undefined,
  };
}
