import { refuseContent } from '../contentPath.ts';
import { rule, type Machine, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const printing = new Set([
  '-noout',
  '-text',
  '-dates',
  '-startdate',
  '-enddate',
  '-subject',
  '-issuer',
  '-serial',
  '-fingerprint',
  '-hash',
  '-email',
  '-purpose',
  '-sha256',
  '-ocsp_uri',
  '-pubkey',
  '-modulus',
  '-verify',
]);
/** Options with a word of their own that is no file. */
const worded = new Set(['-checkend', '-ext', '-inform', '-nameopt']);
const files = new Set(['-in', '-CAfile', '-untrusted']);

/** Certificates and keys, told about. */
export const certificates: readonly ProgramRule[] = [
  { names: ['openssl'], system: 'linux', check: checkOpenssl },
  rule({
    names: ['ssh-keygen'],
    table: {
      flags: 'lvB',
      valued: 'fE',
      refused: { '-D': 'ssh-keygen -D loads a library.', '-R': 'ssh-keygen -R changes the list of hosts.' },
    },
    operands: (read, machine) => {
      if (!read.given.has('-l') || read.operands.length > 0)
        return 'ssh-keygen without -l makes or changes keys.';
      for (const { name, value } of read.values) {
        const reason = name === '-f' ? refuseContent(value, machine) : undefined;
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
  }),
];

/** Not proven: `-out`, `-req`, `-new`, `-CAcreateserial` (make and write), `-engine` and `-provider` (load), s_client (sends its input). */
function checkOpenssl([verb, ...args]: readonly ShellWord[], machine: Machine): string | undefined {
  if (verb?.text === 'version')
    return args.every((word) => /^-[avd]$/.test(word.text))
      ? undefined
      : 'openssl version is given something unusual.';
  if (/^(md5|sha1|sha256|sha512)$/.test(verb?.text ?? '') && args.length === 0) return undefined;
  if (verb?.text === 's_client') return checkClient(args, machine);
  if (verb === undefined || !/^(x509|req|crl|verify)$/.test(verb.text))
    return `openssl ${verb?.text ?? ''} is not known to be read-only.`;
  let readsFile = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (printing.has(word.text)) continue;
    if (worded.has(word.text)) {
      at += 1;
      if (!/^[\w,]+$/.test(args[at]?.text ?? '')) return `openssl ${word.text} lacks its value.`;
      continue;
    }
    const isFile = files.has(word.text);
    const path = isFile ? args[at + 1] : verb.text === 'verify' ? word : undefined;
    // An address in the place of a file (`pkcs11:`) loads a library.
    if (path === undefined || path.hasPattern || /^-|:/.test(path.text))
      return `openssl ${word.text} is not known to be harmless.`;
    const reason = refuseContent(path, machine);
    if (reason !== undefined) return reason;
    readsFile = true;
    if (isFile) at += 1;
  }
  return readsFile || verb.text === 'x509' ? undefined : 'openssl is not told which file to read.';
}

/** Asks a server for its certificates: without a word to send it, and without files, keys and engines. */
function checkClient(args: readonly ShellWord[], machine: Machine): string | undefined {
  if (machine.hasEmptyInput !== true) return 'openssl s_client sends what it reads.';
  const text = args.map((word) => `${word.text} `).join('');
  const isPlain = args.every((word) => !word.hasPattern && !/\s/.test(word.text));
  return isPlain &&
    /^(-(connect|servername|starttls) [A-Za-z0-9][\w.:-]{0,99} |-(showcerts|brief|tls1_[123]|status|4|6) )+$/.test(
      text,
    )
    ? undefined
    : 'openssl s_client is given something unusual.';
}
