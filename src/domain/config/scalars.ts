/** Numbers and times as OpenSSH reads them. Each answers undefined for what OpenSSH refuses. */

/** An integer of C: blanks before it and a sign are fine, anything behind it is not. Source: OpenBSD `strtonum`. */
export function readInteger(word: string, lowest: number, highest: number): number | undefined {
  if (!/^[ \t\n\v\f\r]*[+-]?\d{1,15}$/.test(word)) return undefined;
  const value = Number(word.trim()) + 0; // no negative zero
  return value >= lowest && value <= highest ? value : undefined;
}

/** A number as C writes it: decimal, octal behind a 0, hexadecimal behind 0x. */
export function readCNumber(word: string): number | undefined {
  return /^(?:0x[0-9a-f]+|0[0-7]*|[1-9]\d*)$/i.test(word)
    ? Number(word.replace(/^0(?=\d)/, '0o'))
    : undefined;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const mostSeconds = 2 ** 31 - 1;

/** Seconds, or a sum like `1h30m`. Source: sshd_config(5), TIME FORMATS; OpenSSH `convtime`. */
export function readSeconds(word: string): number | undefined {
  if (!/^(?:[ \t]*[+]?\d{1,10}[smhdw]?)+$/i.test(word)) return undefined;
  let seconds = 0;
  for (const [, digits = '0', unit = ''] of word.matchAll(/(\d+)([smhdw]?)/gi))
    seconds += Number(digits) * (unitSeconds[unit.toLowerCase()] ?? 1);
  return seconds <= mostSeconds ? seconds : undefined;
}

/** Ports that people name. OpenSSH looks names up in the services of the machine, which ours does not read. */
const services: Readonly<Record<string, number>> = {
  ftp: 21,
  ssh: 22,
  telnet: 23,
  smtp: 25,
  domain: 53,
  http: 80,
  https: 443,
};

/** 0 is a port here; whether it may be used depends on what for. Source: OpenSSH `a2port`. */
export function readPort(word: string): number | undefined {
  return readInteger(word, 0, 65535) ?? (Object.hasOwn(services, word) ? services[word] : undefined);
}

const scales = 'BKMGTPE';

/** Bytes with a unit, `1.5K`. Source: scan_scaled(3). */
export function readScaled(word: string): bigint | undefined {
  const match = /^[ \t]*([+-]?)(\d{0,18})(?:\.(\d{0,18}))?([bkmgtpe]?)$/i.exec(word);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', unit = ''] = match;
  if (whole === '' && fraction === '') return word.trim() === '' ? undefined : 0n;
  const scale = 1024n ** BigInt(Math.max(0, scales.indexOf(unit.toUpperCase())));
  const part = fraction === '' ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  const value = BigInt(whole === '' ? '0' : whole) * scale + part;
  if (value > 2n ** 63n - 1n) return undefined;
  return sign === '-' ? -value : value;
}
