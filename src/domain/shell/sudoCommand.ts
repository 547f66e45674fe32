import { parse, type Script } from 'unbash';

/** What stands behind `sudo` when we have put it there. */
const ownPrompt = / -S -p termind-sudo-[0-9a-f]{32}(?=\s|$)/;
/** Options of sudo that read the password elsewhere, ask for none, or set a prompt of their own; also within a cluster. */
const otherPrompt =
  /^-[A-Za-z]*[SpAnbkKvle]|^--(?:stdin|prompt|askpass|non-interactive|background|reset|remove|validate|list|edit)/;

/**
 * The line with `-S -p <marker>` behind its `sudo`, for a line whose first command is a plain sudo that reads the line's own input;
 * undefined for every other. `marker` is `termind-sudo-` and 32 hexadecimal digits. Source: ssh.md 1.9; decisions 5.
 */
export function withSudoPrompt(line: string, marker: string): string | undefined {
  const start = /^\s*sudo(?=\s)/.exec(line)?.[0];
  if (start === undefined) return undefined;
  const plain = start + line.slice(start.length).replace(new RegExp(`^${ownPrompt.source}`), '');
  return isPlainSudo(plain) ? `${start} -S -p ${marker}${plain.slice(start.length)}` : undefined;
}

function isPlainSudo(line: string): boolean {
  const script = parse(line);
  if ((script.errors ?? []).length > 0) return false;
  const first = firstCommand(script);
  if (first?.name?.text !== 'sudo' || first.prefix.length > 0) return false;
  if (first.redirects.some(({ operator }) => operator.includes('<'))) return false;
  const words = first.suffix.flatMap((word) => ('text' in word ? [word.text] : []));
  for (const word of words) {
    if (!word.startsWith('-') || word === '--') break;
    if (otherPrompt.test(word)) return false;
  }
  return words.length > 0;
}

/** The command that gets the input of the whole line; undefined when that is no simple one or it runs in the background. */
function firstCommand(script: Script) {
  const [statement] = script.commands;
  if (statement === undefined || statement.background === true) return undefined;
  let node = statement.command;
  for (;;) {
    if (node.type === 'Command') return node;
    if (node.type !== 'AndOr' && node.type !== 'Pipeline') return undefined;
    if (node.type === 'Pipeline' && node.prefixes.length > 0) return undefined;
    const [head] = node.commands;
    if (head === undefined) return undefined;
    node = head;
  }
}
