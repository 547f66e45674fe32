import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  pageHtml,
  staticHtml,
  type PageOptions,
} from '../../../../src/features/assistant/editor/pageHtml.ts';

const options: PageOptions = {
  nonce: 'bm9uY2U',
  language: 'en',
  surface: 'view',
  title: 'Termind Assistant',
};
const assets = {
  cspSource: 'https://webview.test',
  script: 'https://webview.test/main.js',
  style: 'https://webview.test/main.css',
  codicons: 'https://webview.test/codicon.css',
};

/** The policy of a page, by directive. */
function policyOf(html: string): Record<string, string> {
  const content = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  const text = content.replaceAll('&#39;', "'");
  return Object.fromEntries(
    text.split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );
}

describe('the html of the assistant', () => {
  it('allows its own files and one script by nonce, and nothing else', () => {
    assert.deepEqual(policyOf(pageHtml(assets, options)), {
      'default-src': "'none'",
      'script-src': "'nonce-bm9uY2U'",
      'style-src': 'https://webview.test',
      'img-src': 'https://webview.test data:',
      'font-src': 'https://webview.test',
      'connect-src': "'none'",
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-src': "'none'",
    });
  });

  it('has no inline style and no inline script', () => {
    const html = pageHtml(assets, options);
    assert.doesNotMatch(html, /style=|<style|<script(?![^>]* src=)|\son\w+=/);
  });

  it('the static page has a button, one script by nonce and no file', () => {
    const html = staticHtml(options, { sentence: 'It stopped <answering>.', reload: 'Reload' });
    assert.match(html, /<p>It stopped &#60;answering&#62;\.<\/p>/);
    assert.match(html, /<script nonce="bm9uY2U">/);
    assert.doesNotMatch(html, /src=|href=/);
    assert.equal(policyOf(html)['style-src'], "'none'");
  });

  it('a title cannot leave its place', () => {
    assert.match(
      pageHtml(assets, { ...options, title: '</title><script>' }),
      /<title>&#60;\/title&#62;&#60;script&#62;<\/title>/,
    );
  });
});
