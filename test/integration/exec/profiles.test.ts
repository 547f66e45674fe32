import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { startEquipment, type Equipment } from '../../lab/equipment.ts';
import { faultOf, targetAt } from '../ssh/sshBench.ts';
import { ExecBench } from './execBench.ts';

describe('the profile of a host that is no POSIX shell', () => {
  let equipment: Equipment | undefined;
  let bench: ExecBench | undefined;
  afterEach(async () => {
    await bench?.dispose();
    await equipment?.stop();
  });

  for (const [family, says, status] of [
    ['network-cli', "        ^\n% Invalid input detected at '^' marker.\n", undefined],
    ['menu', '1) Status\n2) Reboot\nSelect an option: ', 0],
  ] as const)
    it(`a ${family} host is asked once, stored as such, and gets no command`, async () => {
      equipment = await startEquipment({
        serve: (channel) => {
          channel.write(says);
          if (status !== undefined) channel.exit(status);
          channel.close();
        },
      });
      bench = await ExecBench.open(targetAt(equipment));
      const fault = await faultOf(bench.start('reload'));
      assert.deepEqual([fault.code, fault.facts, fault.outcome], ['limited-host', { family }, 'not-sent']);
      assert.deepEqual(bench.learned, [{ shellFamily: family }]);
      assert.equal(equipment.commands.length, 1, 'the question, and nothing behind it');
    });

  it('a host that closes without a word is not judged', async () => {
    equipment = await startEquipment({ serve: (channel) => channel.close() });
    bench = await ExecBench.open(targetAt(equipment));
    const held = await bench.run('show version');
    assert.deepEqual([held.command.record().exitCode, bench.learned], [undefined, []]);
  });
});
