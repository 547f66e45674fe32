import {
  WebError,
  type ClockPort,
  type WebPorts,
  type WebRequest,
  type WebResponse,
} from '../../../../src/agentkit/index.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

export interface MemoryPage {
  readonly status?: number;
  /** `text/html` when absent. */
  readonly type?: string;
  readonly location?: string;
  readonly body?: string;
}

export interface MemoryWeb extends WebPorts {
  readonly clock: ClockPort;
  /** In the order they were made. */
  readonly requested: readonly WebRequest[];
  /** How often each name was resolved. */
  readonly resolved: ReadonlyMap<string, number>;
  /** Answers that were not disposed. */
  readonly open: number;
}

/**
 * A web in memory. Addresses of a name: a list, or what each look-up gets. A page that is not there is a 404. Documents are their bytes
 * as UTF-8; Markdown of a page is its text behind `md:`.
 */
export function memoryWeb(
  names: Readonly<Record<string, readonly string[] | ((nth: number) => readonly string[])>>,
  pages: Readonly<Record<string, MemoryPage>>,
  clock: ClockPort = new FakeClock(),
): MemoryWeb {
  const requested: WebRequest[] = [];
  const resolved = new Map<string, number>();
  let open = 0;
  return {
    clock,
    requested,
    resolved,
    get open() {
      return open;
    },
    names: {
      resolve: async (name) => {
        const nth = resolved.get(name) ?? 0;
        resolved.set(name, nth + 1);
        const known = names[name];
        if (known === undefined) throw new WebError('nameUnknown', { host: name });
        return typeof known === 'function' ? known(nth) : known;
      },
    },
    requests: {
      get: async (request) => {
        requested.push(request);
        open++;
        const page = pages[request.url] ?? { status: 404, type: 'text/plain', body: 'not there' };
        return answerOf(page, () => {
          open--;
        });
      },
    },
    documents: {
      read: async ({ bytes, mediaType }, format) => {
        const text = Buffer.from(bytes).toString('utf8');
        const isPage = mediaType === 'text/html';
        return {
          text: isPage && format === 'markdown' ? `md:${text}` : text,
          title: isPage ? 'A page' : undefined,
        };
      },
    },
  };
}

function answerOf(page: MemoryPage, ended: () => void): WebResponse {
  const headers: Readonly<Record<string, string | undefined>> = {
    'content-type': page.type ?? 'text/html',
    location: page.location,
  };
  let isOpen = true;
  return {
    status: page.status ?? 200,
    header: (name) => headers[name],
    body: async () => Buffer.from(page.body ?? '', 'utf8'),
    dispose() {
      if (isOpen) ended();
      isOpen = false;
    },
  };
}
