import { parentPort } from 'node:worker_threads';
import { decodeText } from './decodeText.ts';
import type { TextAnswer, TextJob } from './documentTexts.ts';
import { pageTitle, plainPage } from './plainPage.ts';
import { readablePage } from './readablePage.ts';

/** A thread that answers one job. What it throws ends it, and whoever started it sees that. */
parentPort?.once('message', (job: TextJob) => {
  parentPort?.postMessage(answer(job));
});

function answer({ bytes, charset, way, url }: TextJob): TextAnswer {
  const source = decodeText(bytes, charset);
  switch (way) {
    case 'text':
      return { text: source, title: undefined };
    case 'source':
      return { text: source, title: pageTitle(source) };
    case 'plain': {
      const { title, markdown } = plainPage(source);
      return { text: markdown, title };
    }
    case 'readable': {
      const { title, markdown } = readablePage(source, url);
      return { text: markdown, title };
    }
  }
}
