import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { aliasesWithForwards } from '../../../../src/domain/config/aliasesWithForwards.ts';
import { assembleConfig } from '../../../../src/domain/config/assembleConfig.ts';
import { parseConfigFile } from '../../../../src/domain/config/parseConfigFile.ts';

describe('names with forwards', () => {
  for (const [what, text, expected] of [
    ['are those whose blocks have one', 'Host a\nLocalForward 1 b:2\nHost b\nPort 22', ['a']],
    ['are those of a pattern too', 'Host a\nPort 22\nHost a* !ab\nDynamicForward 1\nHost ab', ['a']],
    ['are none without a line for it', 'Host a\nPort 22\nHost b', []],
    ['are none when the line cannot be read', 'Host a\nRemoteForward x', []],
  ] as const)
    it(what, () => {
      const config = assembleConfig([{ file: parseConfigFile('/c', text), includes: () => [] }]);
      const names = aliasesWithForwards(config, { aliases: ['a', 'b', 'ab'], localUser: 'op' });
      assert.deepEqual([...names], expected);
    });
});
