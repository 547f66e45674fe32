import { hash } from 'node:crypto';
import { isAborted } from '../../../agentkit/index.ts';
import { blockBytes } from '../../../domain/transfer/transferJournal.ts';
import { commandWord } from '../../files/save/commandWord.ts';
import type { RemotePlace } from './transfer.ts';

/** What a command line carries with room to spare: 1,000 stretches of two numbers. */
const mostStretches = 1_000;

/**
 * `$1`: the file, `$2`: the bytes of a block, then pairs of the first block and behind the last one of each stretch. One line for each
 * block; what cannot be read has the digest of nothing. Source: POSIX.1-2017, `dd`; GNU coreutils, `sha256sum`; Perl's `shasum` where that is missing.
 */
const script =
  'if command -v sha256sum >/dev/null 2>&1; then H() { sha256sum; }; else H() { shasum -a 256; }; fi; ' +
  'f=$1; size=$2; shift 2; test -f "$f" && test -r "$f" || exit 1; while test "$#" -gt 1; do n=$1; while test "$n" -lt "$2"; do ' +
  'dd if="$f" bs="$size" skip="$n" count=1 2>/dev/null | H || exit 1; n=$((n + 1)); done; shift 2; done';

const ofNothing = hash('sha256', '');

/**
 * The SHA-256 of whole blocks of a file of a host, in hexadecimal and in the order of the numbers, which ascend: all of them are read there,
 * and none goes over the line. Undefined where no command may be run, or none has answered it for every block, as where commands see other
 * folders than the files; reading them tells what is wrong. Rejects only when the signal aborts. Source: ssh.md 8.7, 4.
 */
export async function blockDigests(
  { commands, path }: Pick<RemotePlace, 'commands' | 'path'>,
  blocks: readonly number[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const word = commandWord(path);
  const stretches = stretchesOf(blocks);
  if (commands === undefined || word === undefined || stretches.length > mostStretches) return undefined;
  try {
    const numbers = stretches.flatMap(({ from, to }) => [String(from), String(to)]);
    const { stdout, code } = await commands.run(
      { script, arguments: [word, String(blockBytes), ...numbers], isChange: false },
      signal,
    );
    const lines = Buffer.from(stdout).toString('latin1').split('\n').slice(0, -1);
    const digests = lines.flatMap((line) => /^([0-9a-f]{64})\s/.exec(line)?.[1] ?? []);
    const isWhole = lines.length === blocks.length && digests.length === blocks.length;
    return code === 0 && isWhole && !digests.includes(ofNothing) ? digests : undefined;
  } catch (error) {
    if (isAborted(signal)) throw error;
    return undefined;
  }
}

function stretchesOf(blocks: readonly number[]): readonly { readonly from: number; readonly to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (const block of blocks) {
    const last = stretches.at(-1);
    if (last?.to === block) last.to = block + 1;
    else stretches.push({ from: block, to: block + 1 });
  }
  return stretches;
}
