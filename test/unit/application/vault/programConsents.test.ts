import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ProgramConsent, ProgramFile } from '../../../../src/application/ports/hosts.ts';
import { nobodyToAsk, ProgramConsents } from '../../../../src/application/vault/programConsents.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';

const never = new AbortController().signal;
const file = (contentHash: string): ProgramFile => ({
  path: '/c',
  contentHash,
  commands: [{ line: 4, command: 'true' }],
});

function consentsOf(answers: readonly ('allow' | 'deny' | undefined)[], isTrusted = true) {
  const stored = new Map<string, ProgramConsent>();
  const left = [...answers];
  let asked = 0;
  const consents = new ProgramConsents({
    store: {
      get: (path) => stored.get(path),
      list: () => [...stored.values()],
      put: async (consent) => void stored.set(consent.path, consent),
      remove: async (path) => void stored.delete(path),
    },
    prompt: {
      ask: async () => {
        asked++;
        return left.shift();
      },
    },
    mayRunPrograms: () => isTrusted,
    clock: { now: () => 5 },
  });
  return { consents, stored, asked: () => asked };
}

describe('the consent for programs of a configuration', () => {
  it('is asked for once for everybody who waits, and kept with content and time', async () => {
    const { consents, stored, asked } = consentsOf(['allow']);
    const all = await Promise.all(['a', 'b', 'c'].map((host) => consents.settle(file('1'), host, never)));
    assert.deepEqual([all, asked()], [[true, true, true], 1]);
    assert.deepEqual(stored.get('/c'), { path: '/c', contentHash: '1', isAllowed: true, at: 5 });
  });

  it('belongs to the content: another one is asked about, and replaces it', async () => {
    const { consents } = consentsOf(['allow', 'deny']);
    assert.equal(await consents.settle(file('1'), 'a', never), true);
    assert.equal(consents.decided(file('2')), undefined);
    assert.equal(await consents.settle(file('2'), 'a', never), false);
    assert.equal(consents.decided(file('1')), undefined);
  });

  it('without an answer nothing is decided, and the next one is asked', async () => {
    const { consents, asked } = consentsOf([undefined, 'allow']);
    await assert.rejects(
      consents.settle(file('1'), 'a', never),
      (error) => isTermindError(error) && error.fault.code === 'config-consent',
    );
    assert.deepEqual([await consents.settle(file('1'), 'a', never), asked()], [true, 2]);
  });

  it('is never given in an untrusted workspace, and nobody is asked', async () => {
    const { consents, asked } = consentsOf(['allow'], false);
    assert.deepEqual([await consents.settle(file('1'), 'a', never), asked()], [false, 0]);
  });

  it('one who gives up waiting does not take the answer from the others', async () => {
    const { consents } = consentsOf(['allow']);
    const abort = new AbortController();
    abort.abort(new Error('no longer wanted'));
    const [gone, stays] = await Promise.allSettled([
      consents.settle(file('1'), 'a', abort.signal),
      consents.settle(file('1'), 'b', never),
    ]);
    assert.deepEqual([gone.status, stays.status], ['rejected', 'fulfilled']);
  });

  it('cannot be given where nobody can be asked', async () => {
    const consents = new ProgramConsents({
      ...nobodyToAsk,
      mayRunPrograms: () => true,
      clock: { now: () => 5 },
    });
    await assert.rejects(consents.settle(file('1'), 'a', never));
  });
});
