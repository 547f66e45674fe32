import type crypto from 'node:crypto';

/**
 * The MODP primes are 2^n − 2^(n−64) − 1 + 2^64 · (⌊2^(n−130) · π⌋ + c); only n and c differ. The generator is 2.
 * Source: RFC 2409 section 6.2 (modp2), RFC 3526 sections 3 to 7.
 */
const groups: Readonly<Record<string, readonly [bits: number, c: bigint]>> = {
  modp2: [1024, 129_093n],
  modp14: [2048, 124_476n],
  modp15: [3072, 1_690_314n],
  modp16: [4096, 240_904n],
  modp17: [6144, 929_484n],
  modp18: [8192, 4_743_158n],
};

/** The published prime of a named group; undefined for a group that no algorithm of ours uses. */
export function modpPrime(name: string): Buffer | undefined {
  const group = groups[name];
  if (group === undefined) return undefined;
  const [bits, c] = group;
  const n = BigInt(bits);
  const prime = (1n << n) - (1n << (n - 64n)) - 1n + (1n << 64n) * (scaledPi(n - 130n) + c);
  return Buffer.from(prime.toString(16).padStart(bits / 4, '0'), 'hex');
}

/** ⌊2^bits · π⌋ by Machin's formula, with 64 guard bits. */
function scaledPi(bits: bigint): bigint {
  const guard = 64n;
  const one = 1n << (bits + guard);
  return (4n * (4n * arctanOfInverse(5n, one) - arctanOfInverse(239n, one))) >> guard;
}

function arctanOfInverse(x: bigint, one: bigint): bigint {
  let power = one / x;
  let sum = power;
  for (let divisor = 3n, sign = -1n; power !== 0n; divisor += 2n, sign = -sign) {
    power /= x * x;
    sum += sign * (power / divisor);
  }
  return sum;
}

type GroupMaker = typeof crypto.createDiffieHellmanGroup;

/**
 * Makes named groups that the run time lacks usable: the named call is tried first, and only when it fails the published prime is used.
 * Acts on the given `node:crypto`; the result puts the original back. Source: ssh.md 5.4; vscode.md 16.
 */
export function installGroupFallback(on: typeof crypto): () => void {
  const original = on.createDiffieHellmanGroup;
  const withFallback = ((name: string) => {
    try {
      return original(name);
    } catch (error) {
      const prime = modpPrime(name);
      if (prime === undefined) throw error;
      return on.createDiffieHellman(prime, Buffer.from([2]));
    }
  }) as GroupMaker;
  on.createDiffieHellmanGroup = withFallback;
  return () => {
    if (on.createDiffieHellmanGroup === withFallback) on.createDiffieHellmanGroup = original;
  };
}
