import { chatStore, openIn } from './chatStore.ts';
import { ChatText } from './chatText.ts';
import { type Benchmark, type Figure, percentile } from './figure.ts';

const sizes = [10_000, 100_000, 1_000_000] as const;
const questions = 300;
const target = '<= 60 ms, 95 of 100 searches';
const never = new AbortController().signal;

/**
 * P13: searching past conversations, as the tool does it: through the port, from the extension host's thread, first pages of ten.
 * Each size is compared with the one before it: ten times the messages. Source: quality.md 1.
 */
export const searchMessages: Benchmark = {
  id: 'P13',
  name: 'search',
  async run(note) {
    const figures: Figure[] = [];
    for (const messages of sizes) {
      const times = await searchTimes(messages, note);
      const ours = round(percentile(times, 95));
      const before = figures.at(-1)?.ours ?? null;
      figures.push({
        id: 'P13',
        label: `search in ${messages.toLocaleString('en')} messages (median ${round(percentile(times, 50))} ms), beside a tenth of them`,
        ours,
        peer: before,
        ratio: before === null ? null : round(ours / before),
        target,
        holds: ours <= 60 && figures.every(({ holds }) => holds),
      });
    }
    return figures;
  },
};

async function searchTimes(messages: number, note: (text: string) => void): Promise<readonly number[]> {
  const { directory } = await chatStore({ messages, long: [] }, note);
  const store = openIn(directory);
  try {
    const chat = new ChatText(7);
    const search = async (query: string): Promise<number> => {
      const start = performance.now();
      await store.search.search({ query, offset: 0, limit: 10 }, never);
      return performance.now() - start;
    };
    for (let count = 0; count < 50; count++) await search(question(chat));
    const times: number[] = [];
    for (let count = 0; count < questions; count++) times.push(await search(question(chat)));
    note(`${messages.toLocaleString('en')} messages: longest ${round(Math.max(...times))} ms`);
    return times;
  } finally {
    store.dispose();
  }
}

/** What a model asks: mostly a few words, some phrases, addresses, paths and other scripts, and some that nobody wrote. */
function question(chat: ChatText): string {
  const kind = chat.random();
  if (kind < 0.2) return chat.word();
  if (kind < 0.6) return chat.words(chat.between(2, 4));
  if (kind < 0.7) return `"${chat.words(2)}"`;
  if (kind < 0.75) return `"${chat.words(2)}" ${chat.word()}`;
  if (kind < 0.8) return chat.address();
  if (kind < 0.85) return chat.path();
  if (kind < 0.9) return chat.sentence().slice(0, chat.between(2, 5));
  return `${chat.words(3)} nobody${chat.between(0, 9)}wrote`;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
