import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Purpose } from '../../../../src/application/ports/connection.ts';
import { isTermindError, type Fault } from '../../../../src/domain/fault.ts';
import type { ChannelFacts } from '../../../../src/domain/host/host.ts';
import { connectionFault } from '../../../../src/domain/ssh/connectionFault.ts';
import {
  ChannelBudget,
  type ChannelPlace,
  type ChannelWish,
} from '../../../../src/infrastructure/ssh/channelBudget.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;

class Scene {
  readonly clock = new FakeClock();
  readonly learned: Omit<ChannelFacts, 'at'>[] = [];
  readonly served: string[] = [];
  readonly budget: ChannelBudget;

  constructor(known?: Promise<ChannelFacts | undefined>) {
    this.budget = new ChannelBudget({
      hop: 'op@db1',
      clock: this.clock,
      ...(known === undefined ? {} : { known }),
      onLearned: (facts) => this.learned.push(facts),
    });
  }

  /** A place that must be there, and is open. */
  open(purpose: Purpose, isExec = false): ChannelPlace {
    const place = this.budget.tryTake({ purpose, isExec });
    if (place === undefined) throw new Error(`no place for ${purpose}`);
    place.granted();
    return place;
  }

  /** Waits; its name is noted when it is served. */
  wait(name: string, wish: Partial<ChannelWish> & { readonly purpose: Purpose }): Promise<ChannelPlace> {
    const waiting = this.budget.wait({ isExec: false, ...wish }, never);
    waiting.then(
      () => this.served.push(name),
      () => {},
    );
    return waiting;
  }
}

async function faultOf(waiting: Promise<unknown>): Promise<Fault> {
  try {
    await waiting;
  } catch (error) {
    if (isTermindError(error)) return error.fault;
    throw error;
  }
  throw new Error('it was served');
}

/** A connection whose limit is known to be `limit`. */
async function limitedTo(limit: number): Promise<Scene> {
  const scene = new Scene(Promise.resolve({ limit, at: 0 }));
  await settle();
  return scene;
}

describe('the channel budget of a connection', () => {
  it('serves who waits by group: terminal, browsing, tools, transfers; and in each by coming', async () => {
    const scene = await limitedTo(1);
    let held = scene.open('exec');
    const names: readonly (readonly [string, Purpose])[] = [
      ['transfer', 'sftp-transfer'],
      ['tool 1', 'agent-exec'],
      ['browse', 'sftp-browse'],
      ['tool 2', 'metrics'],
      ['terminal', 'terminal'],
    ];
    const waiting = names.map(([name, purpose]) => ({ name, place: scene.wait(name, { purpose }) }));
    for (let n = 0; n < names.length; n++) {
      held.giveBack();
      await settle();
      const next = waiting.find(({ name }) => name === scene.served.at(-1));
      assert.equal(scene.served.length, n + 1);
      held = await (next?.place ?? Promise.reject(new Error('nobody was served')));
    }
    assert.deepEqual(scene.served, ['terminal', 'browse', 'tool 1', 'tool 2', 'transfer']);
  });

  for (const [purpose, ms] of [
    ['terminal', 15_000],
    ['sftp-browse', 30_000],
    ['exec', 60_000],
    ['sftp-transfer', 600_000],
  ] as const)
    it(`lets ${purpose} wait ${(ms / 1_000).toString()} s where nobody says otherwise, then tells the numbers`, async () => {
      const scene = await limitedTo(1);
      scene.open('terminal');
      const waiting = faultOf(scene.wait('late', { purpose }));
      await scene.clock.advance(ms - 1);
      assert.equal(scene.clock.pending, 1);
      await scene.clock.advance(1);
      const fault = await waiting;
      assert.deepEqual(
        [fault.code, fault.outcome, fault.facts],
        ['channel-limit', 'not-sent', { used: '1', limit: '1' }],
      );
      assert.equal(scene.clock.pending, 0);
    });

  it('waits for what is remembered before the first channel', async () => {
    let tell: (facts: ChannelFacts) => void = () => {};
    const scene = new Scene(new Promise((resolve) => (tell = resolve)));
    assert.equal(scene.budget.tryTake({ purpose: 'terminal', isExec: false }), undefined);
    const first = scene.wait('first', { purpose: 'terminal' });
    tell({ limit: 1, at: 0 });
    await first;
    assert.equal(scene.budget.limit, 1);
    assert.equal(scene.budget.tryTake({ purpose: 'exec', isExec: true }), undefined);
  });

  it('learns the number that is open, once, and never from a server that granted none', () => {
    const scene = new Scene();
    const first = scene.budget.tryTake({ purpose: 'exec', isExec: true });
    assert.equal(first?.refused(), false);
    assert.deepEqual([scene.learned, scene.budget.limit], [[], 10]);
    scene.open('terminal');
    scene.open('exec');
    const asked = [1, 2].map(() => scene.budget.tryTake({ purpose: 'exec', isExec: true }));
    assert.deepEqual(
      asked.map((place) => place?.refused()),
      [true, true],
    );
    assert.deepEqual([scene.learned, scene.budget.limit], [[{ limit: 2 }], 2]);
  });

  it('a channel that is opened does not count as open before the server has said so', () => {
    const scene = new Scene();
    scene.open('exec');
    const [second, third] = [1, 2].map(() => scene.budget.tryTake({ purpose: 'exec', isExec: true }));
    assert.equal(second?.refused(), true);
    assert.equal(scene.budget.limit, 1);
    third?.giveBack();
  });

  it('what ends something may take what is reserved, and no more than there is', async () => {
    const scene = await limitedTo(3);
    scene.open('exec', true);
    const urgent = { purpose: 'exec', isExec: true, isUrgent: true } as const;
    assert.equal(scene.budget.tryTake({ purpose: 'exec', isExec: true }), undefined);
    assert.notEqual(scene.budget.tryTake(urgent), undefined);
    assert.notEqual(scene.budget.tryTake(urgent), undefined);
    assert.equal(scene.budget.tryTake(urgent), undefined);
  });

  it('commands follow each other where one is served at a time; a terminal beside them does not wait', async () => {
    const scene = new Scene(Promise.resolve({ oneCommand: true, at: 0 }));
    await settle();
    const first = scene.open('exec', true);
    const second = scene.wait('second', { purpose: 'agent-exec', isExec: true });
    scene.open('terminal');
    await settle();
    assert.deepEqual(scene.served, []);
    first.giveBack();
    await second;
  });

  it('a subsystem or a terminal that is refused beside a command says nothing about commands', () => {
    for (const purpose of ['sftp-browse', 'terminal'] as const) {
      const scene = new Scene();
      scene.open('exec', true);
      const other = scene.budget.tryTake({ purpose, isExec: false });
      assert.deepEqual([other?.commandRefused(), scene.learned], [false, []]);
      const command = scene.budget.tryTake({ purpose: 'exec', isExec: true });
      assert.deepEqual([command?.commandRefused(), scene.learned], [true, [{ oneCommand: true }]]);
    }
  });

  it('a place given back twice is one place', async () => {
    const scene = await limitedTo(2);
    const place = scene.open('terminal');
    scene.open('exec');
    place.giveBack();
    place.giveBack();
    assert.equal(scene.budget.used, 1);
  });

  it('ends who waits with the connection, and leaves no timer', async () => {
    const scene = await limitedTo(1);
    scene.open('terminal');
    const waiting = faultOf(scene.wait('never', { purpose: 'exec' }));
    scene.budget.end(connectionFault('link-lost', { stage: 'link', hop: 'op@db1', outcome: 'unknown' }));
    const fault = await waiting;
    assert.deepEqual([fault.code, fault.outcome, scene.clock.pending], ['link-lost', 'not-sent', 0]);
    assert.equal((await faultOf(scene.wait('late', { purpose: 'exec' }))).code, 'link-lost');
  });
});
