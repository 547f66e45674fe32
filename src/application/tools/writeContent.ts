import type {
  ApprovalSubject,
  ApprovedContent,
  JsonObject,
  Preflight,
  ToolContext,
  ToolOutcome,
} from '../../agentkit/index.ts';
import { TermindError } from '../../domain/fault.ts';
import { sha256Of } from '../../domain/files/contentStamp.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { SaveBase, SavedFile, SaveOutcome, SaveWarning } from '../files/save/fileSaving.ts';
import { sentenceOf } from './failure.ts';
import { hostField, shownPath, withFiles } from './fileCall.ts';
import { changeFiles, reviewChange, type FileChange } from './fileChange.ts';
import { modeText } from './fileFields.ts';
import { FileRefusedError } from './fileRefused.ts';
import { ToolService } from './keys.ts';
import { baseOf, checkLarge, lookAtTarget, writtenPath, type FoundTarget } from './saveTarget.ts';
import { shownDiff, shownHead } from './shownContent.ts';

/** A content that a call puts into a file of a host. */
export interface ContentWrite {
  readonly hostId: string;
  readonly tool: string;
  readonly path: RemotePath;
  readonly bytes: Uint8Array;
  readonly mustBeNew: boolean;
  readonly mode: number | undefined;
  /** Of what the file has to hold before. */
  readonly expectedSha256: string | undefined;
  /** Where the content comes from, when it is not in the arguments; the card then shows its beginning. */
  readonly source: string | undefined;
}

const baseFact = 'saveBase';
/** A file that was too large to be compared. */
const foundFact = 'largeTarget';

/**
 * Preflight of a write: what is there now, what changes, and the digest that the decision is bound to. `check` may refuse by what the file
 * holds now, by throwing.
 */
export function reviewWrite(
  write: ContentWrite,
  { content, check }: { readonly content: ApprovedContent; readonly check?: (found: FoundTarget) => void },
  context: ToolContext,
): Promise<Preflight> {
  return reviewChange(changeOf(write), context, async (files, [path = write.path]) => {
    const found = await lookAtTarget(files, path, context.signal);
    const { mustBeNew, expectedSha256: sha256 } = write;
    const base = baseOf(found, { path, mustBeNew, sha256 });
    check?.(found);
    return {
      action: `Write ${shownPath(write.path)}`,
      details: writeDetails(write, found, context),
      reasons: [
        found.k === 'missing' ? 'It makes a file on the host.' : 'It replaces what a file on the host holds.',
      ],
      facts: [
        [baseFact, base],
        [foundFact, found.k === 'large' ? found : undefined],
      ],
      content,
      grantKey: { sha256: content.sha256, mustBeNew, mode: write.mode ?? null, expected: sha256 ?? null },
    };
  });
}

function writeDetails(
  { path, bytes, source }: ContentWrite,
  found: FoundTarget,
  { redactor }: ToolContext,
): ApprovalSubject['details'] {
  return [
    ...(source === undefined ? [] : [{ label: 'From', value: source }]),
    { label: 'Size', value: `${bytes.length} bytes` },
    { label: 'SHA-256', value: sha256Of(bytes) },
    { label: 'There now', value: foundText(found) },
    ...(found.k === 'read'
      ? [
          {
            label: 'Changes',
            value: shownDiff({ before: found.content, after: bytes, label: shownPath(path) }, redactor),
          },
        ]
      : source === undefined
        ? []
        : [{ label: 'Content', value: shownHead(bytes, redactor) }]),
  ];
}

function foundText(found: FoundTarget): string {
  switch (found.k) {
    case 'missing':
      return 'No file.';
    case 'large':
      return `A file of ${found.size} bytes, too large to be compared.`;
    case 'read':
      return `A file of ${found.stamp.size} bytes.`;
  }
}

/**
 * Writes by the save machine over what was shown: at every moment the file holds its old or its new content. `fields` are those of the
 * tool's own. Source: tools.md, `sftp_write`; ssh.md 8.5.
 */
export function writeContent(
  write: ContentWrite,
  context: ToolContext,
  fields: (saved: { readonly created: boolean }) => JsonObject,
): Promise<ToolOutcome> {
  return changeFiles(changeOf(write), context, async (files, [path = write.path], host) => {
    const large = context.preflightFacts.get(foundFact) as FoundTarget | undefined;
    if (large !== undefined) await checkLarge(files, { path, shown: large }, context.signal);
    const saving = context.services.get(ToolService.saving);
    const base = context.preflightFacts.get(baseFact) as SaveBase;
    const { bytes, mode } = write;
    const outcome = await saving.save(
      {
        target: { host: host.id, path },
        content: bytes,
        base,
        files: {
          use: (work, signal) =>
            context.services
              .get(ToolService.files)
              .use({ run: context.runId, host, isRepeatable: false }, work, signal),
        },
        writer: `call:${context.runId}:${context.callId}`,
        keepBackup: host.tier === 'prod',
        ...(mode === undefined ? {} : { mode }),
      },
      context.signal,
    );
    // What the model gets as a failure it can write again; nobody is to be offered it later.
    if (outcome.k === 'conflict' || outcome.k === 'failed') {
      if (outcome.kept !== undefined) await saving.discard(outcome.kept);
    }
    if (outcome.k !== 'saved')
      return { kind: 'failure', sentence: failureText(outcome, { write, base }, context) };
    const created = outcome.way === 'created';
    const shownMode = await finishMode({ write, host, path }, context);
    return {
      kind: 'success',
      fields: {
        host: hostField(host),
        ...fields({ created }),
        bytes: bytes.length,
        sha256: outcome.stamp.sha256,
        mode: shownMode,
        method: outcome.way === 'inPlace' || outcome.way === 'unchanged' ? 'in_place' : 'replaced',
        ...noteOf(outcome),
      },
    };
  });
}

function changeOf({ hostId, tool, path }: ContentWrite): FileChange {
  return { hostId, tool, paths: [{ path, resolve: writtenPath }] };
}

/** The mode that the file has in the end. A replaced file gets the mode that was asked for here, since it keeps its own while it is saved. */
async function finishMode(
  saved: {
    readonly write: ContentWrite;
    readonly host: HostListing;
    readonly path: RemotePath;
  },
  context: ToolContext,
): Promise<string | null> {
  const { write, host, path } = saved;
  const { signal } = context;
  const { mode } = write;
  return withFiles(context, { host, isRepeatable: false }, async (files) => {
    const now = await files.stat(path, signal);
    if (mode === undefined || modeText(now) === modeText({ mode })) return modeText(now);
    await files.setstat(path, { mode }, signal);
    return modeText(await files.stat(path, signal));
  });
}

function failureText(
  outcome: Exclude<SaveOutcome, SavedFile>,
  { write, base }: { readonly write: ContentWrite; readonly base: SaveBase },
  { signal }: ToolContext,
): string {
  const path = shownPath(write.path);
  switch (outcome.k) {
    case 'conflict':
      return base === 'missing'
        ? `${path} exists by now, so nothing was written.`
        : new FileRefusedError('digestDiffers', {
            path,
            ...(outcome.theirs === undefined ? {} : { sha256: outcome.theirs.stamp.sha256 }),
          }).message;
    case 'failed':
      return `${sentenceOf(new TermindError(outcome.fault), signal)} The file holds what it held before.`;
    case 'unknown':
      return `${new TermindError(outcome.fault).message} The outcome is unknown: ${path} holds its old or its new content. Compare its SHA-256 before you write again.`;
    case 'damaged':
      return `${new TermindError(outcome.fault).message} ${path} was being written and holds neither content now. Its old content is whole in ${shownPath(outcome.backup)}. Tell the user.`;
  }
}

function noteOf({ way, backup, warnings }: SavedFile): JsonObject {
  const notes = [
    ...(way === 'unchanged' ? ['It held this content already, so nothing was written.'] : []),
    ...(backup === undefined ? [] : [`What it held before is kept in ${shownPath(backup)}.`]),
    ...warnings.map((warning) => warningText[warning]),
  ];
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}

const warningText: Readonly<Record<SaveWarning, string>> = {
  notFlushed: 'The host cannot flush it to its disk.',
  label: 'Its security label could not be kept.',
  oldBackups: 'Old backups could not be removed.',
  leftover: 'A part of the save is still beside it.',
};
