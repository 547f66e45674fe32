import { quotePosix } from '../../domain/ssh/quote.ts';

export interface PreludeRequest {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/**
 * The command line for a POSIX login shell: enter the folder or end without running anything, report the process group behind
 * `mark` on stderr, export the variables, and then, on a line of its own, the command byte for byte. `mark` holds letters, digits
 * and `-` only. Source: decisions 6; ssh.md 0.7 and 1.9.
 */
export function withPosixPrelude(request: PreludeRequest, mark: string): string {
  return [...preludeLines(request, mark), request.command].join('\n');
}

/** The same without the random part, for the details of an approval; undefined when only the report line is added. */
export function shownPrelude(request: Pick<PreludeRequest, 'cwd' | 'env'>): string | undefined {
  const lines = [
    ...(request.cwd === undefined ? [] : [`cd -- ${quotePosix(request.cwd)} || exit`]),
    ...exports(request.env),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}

function preludeLines(request: Pick<PreludeRequest, 'cwd' | 'env'>, mark: string): readonly string[] {
  const report = (what: string): string => `printf '%s %s\\n' '${mark}' ${what} >&2`;
  const enter =
    request.cwd === undefined ? [] : [`cd -- ${quotePosix(request.cwd)} || { ${report('cd')}; exit 1; }`];
  return [...enter, report('"$$"'), ...exports(request.env)];
}

function exports(env: PreludeRequest['env']): readonly string[] {
  return env.map(({ name, value }) => `export ${name}=${quotePosix(value)}`);
}
