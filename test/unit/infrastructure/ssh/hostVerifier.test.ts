import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hostVerifier } from '../../../../src/infrastructure/ssh/hostVerifier.ts';
import { settle } from '../../../support/fakeClock.ts';

const key = Buffer.from('a host key');

/** What the library makes of a verifier: anything but `undefined` as result, or `false` as answer, decides at once. */
async function asLibrary(
  decide: (blob: Uint8Array) => unknown,
): Promise<'accepted' | 'refused' | 'no answer'> {
  let answered: unknown;
  const returned: unknown = hostVerifier(decide)(key, (isAccepted) => (answered = isAccepted));
  if (returned !== undefined) return returned === false ? 'refused' : 'accepted';
  await settle();
  if (answered === undefined) return 'no answer';
  return answered === false ? 'refused' : 'accepted';
}

describe('S8, TRAP-1: the host verifier', () => {
  it('accepts for true, and for a promise of true', async () => {
    assert.equal(await asLibrary(() => true), 'accepted');
    assert.equal(await asLibrary(async () => true), 'accepted');
  });

  for (const [what, decide] of [
    ['undefined', () => undefined],
    ['null', () => null],
    ['0', () => 0],
    ['false', () => false],
    ['an empty string', () => ''],
    ['1', () => 1],
    ['"true"', () => 'true'],
    ['an object', () => ({})],
    ['a promise of undefined', async () => undefined],
    ['a promise of null', async () => null],
    ['a promise of 1', async () => 1],
    ['a promise of false', async () => false],
    ['a promise that rejects', async () => Promise.reject(new Error('no'))],
    [
      'a throw',
      () => {
        throw new Error('no');
      },
    ],
  ] as const)
    it(`refuses for ${what}`, async () => {
      assert.equal(await asLibrary(decide), 'refused');
    });

  it('says nothing while the decision is open', async () => {
    assert.equal(await asLibrary(() => new Promise(() => {})), 'no answer');
  });
});

describe('S8, TRAP-2: the host verifier at a rekey', () => {
  const ask = async (verify: ReturnType<typeof hostVerifier>, blob: Buffer): Promise<boolean | undefined> => {
    let answer: boolean | undefined;
    verify(blob, (isAccepted) => (answer = isAccepted));
    await settle();
    return answer;
  };

  it('decides once, accepts the same bytes again and refuses another key', async () => {
    let decisions = 0;
    const verify = hostVerifier(() => {
      decisions += 1;
      return true;
    });
    assert.equal(await ask(verify, Buffer.from(key)), true);
    for (let rekey = 0; rekey < 200; rekey++) assert.equal(await ask(verify, Buffer.from(key)), true);
    assert.equal(await ask(verify, Buffer.from('another key')), false);
    assert.equal(decisions, 1);
  });

  it('answers within the call once it has decided', async () => {
    const verify = hostVerifier(() => true);
    await ask(verify, key);
    const answers: boolean[] = [];
    verify(key, (isAccepted) => answers.push(isAccepted));
    verify(Buffer.from('another key'), (isAccepted) => answers.push(isAccepted));
    assert.deepEqual(answers, [true, false]);
  });

  it('a refused key stays refused', async () => {
    const verify = hostVerifier(() => false);
    assert.equal(await ask(verify, Buffer.from(key)), false);
    assert.equal(await ask(verify, Buffer.from(key)), false);
  });

  it('compares with the bytes of the first key, even when the library reuses its buffer', async () => {
    const verify = hostVerifier(() => true);
    const reused = Buffer.from(key);
    assert.equal(await ask(verify, reused), true);
    reused.write('b');
    assert.equal(await ask(verify, reused), false);
  });

  it('tells when the library breaks while it is answered', async () => {
    const broken: unknown[] = [];
    hostVerifier(
      () => true,
      (error) => broken.push(error),
    )(key, () => {
      throw new Error('the instance is unusable');
    });
    await settle();
    assert.equal(broken.length, 1);
  });
});
