const networkRounds = 16;
const subkeyWords = networkRounds + 2;
const stateWords = subkeyWords + 4 * 256;
/** Where each of the four boxes begins. */
const boxAt = [subkeyWords, subkeyWords + 256, subkeyWords + 512, subkeyWords + 768] as const;

/**
 * The block cipher Blowfish, as far as bcrypt needs it: an expensive key schedule and encryption of one block. Words are signed, which
 * is what keeps them integers to the engine. Source: B. Schneier, "Description of a New Variable-Length Key, 64-Bit Block Cipher",
 * 1993; N. Provos and D. Mazières, "A Future-Adaptable Password Scheme", 1999.
 */
export class Blowfish {
  /** Subkeys, then boxes. */
  readonly #state: Int32Array;
  readonly #block = new Int32Array(2);

  constructor() {
    this.#state = initialState().slice();
  }

  /** Mixes a key of 16 words into the state; with a salt of 16 words, that too. */
  expand(key: Int32Array, salt: Int32Array = noSalt): void {
    const state = this.#state;
    const block = this.#block.fill(0);
    for (let i = 0; i < subkeyWords; i++) state[i] = word(state, i) ^ word(key, i & 15);
    for (let i = 0; i < stateWords; i += 2) {
      block[0] = word(block, 0) ^ word(salt, i & 15);
      block[1] = word(block, 1) ^ word(salt, (i & 15) + 1);
      encryptBlock(state, block);
      state[i] = word(block, 0);
      state[i + 1] = word(block, 1);
    }
  }

  /** Encrypts the words in pairs, in place. */
  encrypt(words: Int32Array): void {
    for (let i = 0; i < words.length; i += 2) encryptBlock(this.#state, words.subarray(i, i + 2));
  }

  wipe(): void {
    this.#state.fill(0);
    this.#block.fill(0);
  }
}

const noSalt = new Int32Array(16);

function encryptBlock(state: Int32Array, block: Int32Array): void {
  let left = word(block, 0) ^ word(state, 0);
  let right = word(block, 1);
  for (let i = 1; i <= networkRounds; i += 2) {
    right ^= mixed(state, left) ^ word(state, i);
    left ^= mixed(state, right) ^ word(state, i + 1);
  }
  block[0] = right ^ word(state, subkeyWords - 1);
  block[1] = left;
}

function mixed(state: Int32Array, half: number): number {
  const sum = word(state, boxAt[0] + (half >>> 24)) + word(state, boxAt[1] + ((half >>> 16) & 255));
  return ((sum ^ word(state, boxAt[2] + ((half >>> 8) & 255))) + word(state, boxAt[3] + (half & 255))) | 0;
}

/** Every index here is within its array. */
function word(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

let initial: Int32Array | undefined;

/** The digits of pi behind the point, computed rather than written down. */
function initialState(): Int32Array {
  initial ??= digitsOfPi();
  return initial;
}

function digitsOfPi(): Int32Array {
  const hex = piFraction(stateWords * 32)
    .toString(16)
    .padStart(stateWords * 8, '0');
  const bytes = Buffer.from(hex, 'hex');
  return Int32Array.from({ length: stateWords }, (_, i) => bytes.readInt32BE(i * 4));
}

/** The first `bits` binary digits of pi behind the point, by Machin's formula: pi = 16 arctan 1/5 − 4 arctan 1/239. */
function piFraction(bits: number): bigint {
  const guardBits = 64n;
  const one = 1n << (BigInt(bits) + guardBits);
  const arctanOfInverse = (n: bigint): bigint => {
    let power = one / n;
    let sum = power;
    for (let k = 3n, sign = -1n; power !== 0n; k += 2n, sign = -sign) {
      power /= n * n;
      sum += (sign * power) / k;
    }
    return sum;
  };
  const pi = 16n * arctanOfInverse(5n) - 4n * arctanOfInverse(239n);
  return (pi - 3n * one) >> guardBits;
}
