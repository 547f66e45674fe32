import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { pageOffers } from '../../../../src/domain/page/pageActions.ts';
import { pageText } from '../../../../src/domain/page/pageText.ts';
import { placeOf } from '../../../../src/features/doctor/placeOf.ts';
import { assertGolden } from '../../../golden.ts';
import { doctorPages } from '../../../support/doctorScenes.ts';

describe('the page of the doctor', () => {
  for (const [name, page] of Object.entries(doctorPages))
    it(`says as text: ${name}`, () => assertGolden(`doctor/${name}.txt`, pageText(page)));

  it('begins with one cause, and its first button is the fix', () => {
    const { tone, buttons } = doctorPages.noCipher.notices[0] ?? {};
    assert.deepEqual(
      [tone, buttons?.map(({ label, isPrimary }) => [label, isPrimary ?? false])],
      [
        'bad',
        [
          ['Allow Legacy Algorithms…', true],
          ['Try Again', false],
          ['Compare with ssh', false],
          ['Export…', false],
        ],
      ],
    );
  });

  it('links the line of known_hosts that decided', () => {
    const { actions } = pageOffers(doctorPages.connected);
    assert.ok(actions.has('["open","/home/op/.ssh/known_hosts",12]'));
  });

  for (const [at, place] of [
    ['/etc/ssh/ssh_config:4', { path: '/etc/ssh/ssh_config', line: 4 }],
    ['~/.ssh/config:12', { path: '/home/op/.ssh/config', line: 12 }],
    ['C:\\Users\\op\\.ssh\\config:3', { path: 'C:\\Users\\op\\.ssh\\config', line: 3 }],
    ['Termind', undefined],
    ['relative:3', undefined],
    ['/etc/ssh/ssh_config:0', undefined],
  ] as const)
    it(`the place of ${at}`, () => assert.deepEqual(placeOf(at, '/home/op'), place));
});
