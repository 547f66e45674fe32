/** What is read aloud of a growing text, and from where to go on. */
export interface Spoken {
  readonly text: string;
  readonly offset: number;
}

/**
 * The finished sentences of `markdown` behind `offset`: a sentence ends with its mark and a blank, or with its line. At the end of
 * the answer (`isWhole`) the rest counts as finished. Markdown signs and code blocks are left out.
 */
export function finishedSentences(markdown: string, offset: number, isWhole: boolean): Spoken {
  const rest = markdown.slice(offset);
  const end = isWhole ? rest.length : lastSentenceEnd(rest);
  return { text: plainText(rest.slice(0, end)), offset: offset + end };
}

function lastSentenceEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?…][)"'”’*_`]*\s+|[。！？]|\n+/g))
    end = match.index + match[0].length;
  return end;
}

function plainText(markdown: string): string {
  return markdown
    .replace(/^\s*(`{3,}|~{3,})[\s\S]*?(^\s*\1[`~]*\s*$|$(?![\s\S]))/gm, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+/gm, '')
    .replace(/[*_`|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
