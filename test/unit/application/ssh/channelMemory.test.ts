import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ChannelMemory } from '../../../../src/application/ssh/channelMemory.ts';
import type { HostFacts } from '../../../../src/domain/host/host.ts';
import { newHostId, type HostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const day = 24 * 60 * 60_000;

class Facts {
  readonly stored = new Map<HostId, HostFacts>();
  isBroken = false;
  readonly warnings: string[] = [];
  readonly log = {
    trace() {},
    info() {},
    error() {},
    warn: (_area: string, text: string) => void this.warnings.push(text),
  };
  async facts(host: HostId): Promise<HostFacts> {
    if (this.isBroken) throw new Error('the disk is gone');
    return this.stored.get(host) ?? {};
  }
  async learn(host: HostId, facts: HostFacts): Promise<void> {
    if (this.isBroken) throw new Error('the disk is gone');
    this.stored.set(host, { ...this.stored.get(host), ...facts });
  }
}

describe('the memory of a channel limit', () => {
  it('lasts 30 days from the refusal and keeps what else is known of the host', async () => {
    const facts = new Facts();
    const clock = new FakeClock();
    const memory = new ChannelMemory({ facts, clock, log: facts.log });
    const host = newHostId();
    facts.stored.set(host, { os: 'Linux' });
    memory.remember(host, { limit: 4 });
    const at = clock.now();
    assert.deepEqual(facts.stored.get(host), { os: 'Linux', channels: { limit: 4, at } });
    await clock.advance(30 * day - 1);
    assert.deepEqual(await memory.recall(host), { limit: 4, at });
    await clock.advance(1);
    assert.equal(await memory.recall(host), undefined);
  });

  it('is nothing for a host that never refused, and for a store that cannot be used', async () => {
    const facts = new Facts();
    const memory = new ChannelMemory({ facts, clock: new FakeClock(), log: facts.log });
    assert.equal(await memory.recall(newHostId()), undefined);
    facts.isBroken = true;
    memory.remember(newHostId(), { oneCommand: true });
    await settle();
    assert.equal(await memory.recall(newHostId()), undefined);
    assert.equal(facts.warnings.length, 2);
  });
});
