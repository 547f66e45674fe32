import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { assembleConfig } from '../../../../src/domain/config/assembleConfig.ts';
import { parseConfigFile } from '../../../../src/domain/config/parseConfigFile.ts';
import { uncheckedNames } from '../../../../src/domain/config/uncheckedNames.ts';

describe('names whose host keys are not checked strictly', () => {
  for (const [what, text, expected] of [
    ['are those whose block says no', 'Host a\nStrictHostKeyChecking no\nHost b\nPort 22', { a: 2 }],
    ['are those whose block says off', 'Host a\nStrictHostKeyChecking=OFF', { a: 2 }],
    ['are all of a pattern', 'Host *\nStrictHostKeyChecking no', { a: 2, b: 2 }],
    [
      'follow the line that wins',
      'Host a\nStrictHostKeyChecking ask\nHost *\nStrictHostKeyChecking no',
      { b: 4 },
    ],
    ['are none for any other value', 'Host *\nStrictHostKeyChecking accept-new', {}],
    ['are none without a line for it', 'Host a\nPort 22', {}],
  ] as const)
    it(what, () => {
      const config = assembleConfig([{ file: parseConfigFile('/c', text), includes: () => [] }]);
      const names = uncheckedNames(config, { names: ['a', 'b'], localUser: 'op' });
      assert.deepEqual(Object.fromEntries([...names].map(([name, { line }]) => [name, line])), expected);
    });
});
