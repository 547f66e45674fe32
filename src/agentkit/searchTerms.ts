/** One thing a query asks for: a word, a structured token such as `192.0.2.7` or `/etc/nginx`, or a quoted phrase. */
export interface SearchTerm {
  readonly text: string;
  readonly isPhrase: boolean;
}

/** Source: agent runtime contract, section 17. */
const maxTerms = 32;

/** Words that nearly every text has; dropped unless they are quoted or nothing else is asked for. */
const stopWords = new Set(
  (
    'a an and are as at be but by did do does for from had has have how i if in into is it its me my of on or our so ' +
    'that the their then there they this to us was we were what when where which who why will with you your'
  ).split(' '),
);

const wordOrPhrase = /["“”]([^"“”]*)["“”]|[^\s"“”]+/gu;
const outsideWords = /^[^\p{L}\p{M}\p{N}\p{Co}]+|[^\p{L}\p{M}\p{N}\p{Co}]+$/gu;

/**
 * What a query asks for, each thing once, at most 32. Quoted phrases and structured tokens stay whole, stop words go; signs at the
 * ends of a term mean nothing, so no query has operators. Empty when the query holds no letter and no digit.
 */
export function searchTerms(query: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const [whole, phrase] of query.replaceAll(/\p{Cc}/gu, ' ').matchAll(wordOrPhrase)) {
    const text = (phrase ?? whole).replaceAll(outsideWords, '').replaceAll(/\s+/gu, ' ');
    const key = text.toLowerCase();
    if (text !== '' && !terms.has(key)) terms.set(key, { text, isPhrase: phrase !== undefined });
  }
  const all = [...terms.values()];
  const telling = all.filter((term) => term.isPhrase || !stopWords.has(term.text.toLowerCase()));
  return (telling.length === 0 ? all : telling).slice(0, maxTerms);
}
