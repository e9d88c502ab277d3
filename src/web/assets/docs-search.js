// The search of the documentation. docs.js imports it when the search is used for the first time.

/** As the index separates them (search.ts): signs are no parts of words. */
export const wordsOf = (text) => text.split(/[^\p{L}\p{N}]+/u);

/** As the index has them (search.ts): lower case, without the ending of a plural. */
export function termOf(word) {
  const lower = word.toLowerCase();
  return /..[^isu]s$/.test(lower) && lower !== 'cors' ? lower.slice(0, -1) : lower;
}

/**
 * @param MiniSearch the library
 * @param made what /docs/search.json contains
 * @returns a function from a query to its results, the best first
 */
export function openSearch(MiniSearch, { index, options, synonyms, ignored }) {
  const engine = MiniSearch.loadJS(index, options);

  const spaced = (text) => wordsOf(text.toLowerCase()).join(' ').trim();

  return (query) => {
    const results = engine.search(query, {
      tokenize: wordsOf,
      processTerm: (word) => {
        const term = termOf(word);
        return ignored.includes(term) ? null : [term, ...(synonyms[term] ?? [])];
      },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { title: 4, context: 1.5 },
      boostDocument: (_id, _term, { weight }) => weight,
    });
    // The name of a parameter or page as it is comes before everything that is about its words.
    const isNamed = ({ title }) => spaced(title) === spaced(query);
    return [...results.filter(isNamed), ...results.filter((it) => !isNamed(it))];
  };
}
