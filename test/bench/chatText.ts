/** A stream of numbers from 0 to 1 that is the same for the same seed (mulberry32), so that every machine measures the same data. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu'.split(' ');
const vocabulary = Array.from({ length: 50_000 }, (_, n) => wordOf(n));
/** Sums of 1, 1/2, 1/3, …: the n-th word is as frequent as in a language (Zipf's law). */
const shares = runningSums(vocabulary.map((_, n) => 1 / (n + 1)));
const sentences = [
  '服务器的磁盘空间不足请检查日志',
  'データベースの接続が切れました',
  '서버가 응답하지 않습니다',
];

function wordOf(n: number): string {
  let word = '';
  for (let rest = n + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20] ?? '';
  return word;
}

function runningSums(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/** What people, models and commands write, as far as an index can tell: words by Zipf's law, addresses, paths, other scripts. */
export class ChatText {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  word(): string {
    const wanted = this.random() * (shares.at(-1) ?? 0);
    let low = 0;
    let high = vocabulary.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((shares[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return vocabulary[low] ?? '';
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.word()).join(' ');
  }

  address(): string {
    return `192.0.2.${this.between(0, 255)}:${this.between(1_024, 65_535)}`;
  }

  path(): string {
    return `/srv/${this.word()}/${this.word()}.conf`;
  }

  sentence(): string {
    return sentences[this.between(0, sentences.length - 1)] ?? '';
  }

  /** Some words; now and then an address, a path or a sentence without spaces among them. */
  text(least: number, most: number): string {
    const extras = [this.address(), this.path(), this.sentence()].filter(() => this.random() < 0.1);
    return [this.words(this.between(least, most)), ...extras].join(' ');
  }
}
