import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { everyBlock } from '../../e2e/webview/pageDocuments.ts';
import { doctorPages } from '../../support/doctorScenes.ts';
import { fleetPages } from '../../support/fleetScenes.ts';
import { shapeRedactor } from '../../support/shapeRedactor.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** First arguments of `l10n.t` in one file. */
function wordsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const words: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /\bl10n\.t$/.test(node.expression.getText())) {
      const [first] = node.arguments;
      if (first !== undefined && ts.isStringLiteralLike(first)) words.push(first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return words;
}

describe('our own words', function () {
  this.timeout(120_000);
  it('are never taken for secrets, whatever stands in their places', () => {
    const files = ['src/features/**/*.ts', 'src/platform/**/*.ts'].flatMap((pattern) =>
      globSync(pattern, { cwd: root }),
    );
    const sentences = files.flatMap((file) => wordsOf(path.join(root, file)));
    assert.ok(sentences.length > 300, 'the sentences of the product are found');
    const filled = sentences.map((text) => text.replace(/\{\d\}/g, 'web-1'));
    assert.deepEqual(
      filled.filter((text) => shapeRedactor.redact(text) !== text),
      [],
    );
  });

  it('in the manifest are none either', () => {
    const texts: unknown = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8'));
    assert.ok(typeof texts === 'object' && texts !== null);
    const words = Object.values(texts).filter((text) => typeof text === 'string');
    assert.deepEqual(
      words.filter((text) => shapeRedactor.redact(text) !== text),
      [],
    );
  });

  for (const [name, page] of Object.entries({ everyBlock, ...doctorPages, ...fleetPages }))
    it(`on a page stay as they are: ${name}`, () => {
      assert.deepEqual(shapeRedactor.redactJson(page), page);
    });
});
