import { lookup } from 'node:dns/promises';
import { untilAborted, WebError, type NamesPort } from '../../../agentkit/index.ts';
import { errorCode } from '../errorCode.ts';

/** What the resolver says when there is no such name, or none with an address. */
const unknownName: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME']);

/** Names as every program of this machine resolves them, with its hosts file. */
export const systemNames: NamesPort = {
  async resolve(name, signal) {
    try {
      const found = await untilAborted(lookup(name, { all: true, order: 'verbatim' }), signal);
      return found.map(({ address }) => address);
    } catch (error) {
      if (signal.aborted) throw error;
      const code = errorCode(error);
      if (unknownName.has(code)) throw new WebError('nameUnknown', { host: name }, error);
      throw new WebError(
        'connectionFailed',
        { host: name, reason: `its name was not resolved (${code})` },
        error,
      );
    }
  },
};
