import 'reflect-metadata';
import { BrowseQuestionsQuery } from '../../dist/catalog/questions/questions.dto.js';
import { ListQuizzesQuery } from '../../dist/catalog/quizzes/quizzes.dto.js';

/**
 * Every read whose cost may grow with the data, as a request's query is when it has been read. `find` names the
 * service's own read; what is asked for is chosen from the data, so that "a rare tag" is rare at every scale.
 */
export function readsOf(sample) {
  const { tags, categories, rareFacets, titleWord } = sample;
  return [
    ...['popular', 'newest', 'title'].flatMap((sort) => [
      list(`by ${sort}`, { sort }, 'G1'),
      list(`by ${sort}, in a common category`, { sort, category: [categories.common] }),
      list(`by ${sort}, in a rare category`, { sort, category: [categories.rare] }),
      list(`by ${sort}, difficulty`, { sort, difficulty: ['EXPERT'] }),
      list(`by ${sort}, category and difficulty`, {
        sort,
        category: [categories.common],
        difficulty: ['EXPERT'],
      }),
      list(`by ${sort}, rarest category and difficulty`, { sort, ...rareFacets.quiz }, 'G1 G2'),
      list(`by ${sort}, common tag`, { sort, tags: [tags.common] }, 'tags'),
      list(`by ${sort}, middling tag`, { sort, tags: [tags.middling] }, 'tags'),
      list(`by ${sort}, rare tag`, { sort, tags: [tags.rare] }, 'tags G2'),
    ]),
    list(
      'common tag in a common category',
      { tags: [tags.common], category: [categories.common] },
      'tags',
    ),
    list('common tag, difficulty', { tags: [tags.common], difficulty: ['EXPERT'] }, 'tags'),
    list('any of three tags', { tags: [tags.common, tags.middling, tags.rare] }, 'tags'),
    list('all of two tags', { tags: [tags.common, tags.second], tags_match: 'all' }, 'tags'),
    list('a tag that nobody uses', { tags: ['nobody uses this'] }, 'tags'),
    list('topic, on most quizzes', { topic: 'questions' }),
    list('topic, a word of a title', { topic: titleWord }),
    list('topic, on one quiz', { topic: `number ${sample.someNumber}.` }, 'G1 G2'),
    list('topic, on none', { topic: 'nothing is called so' }),
    list('topic, of two letters, common', { topic: 'of' }),
    list('topic, of two letters, on none', { topic: 'zx' }),
    list('topic, of one letter', { topic: 'x' }),
    browse('everything', {}),
    browse('common category', { category: [categories.common] }),
    browse('three categories', {
      category: [categories.common, categories.second, categories.rare],
    }),
    browse('difficulty', { difficulty: ['EXPERT'] }),
    browse('type', { type: ['OPEN_ENDED'] }),
    browse('difficulty and type', { difficulty: ['EXPERT', 'HARD'], type: ['OPEN_ENDED'] }),
    browse('category and difficulty', { category: [categories.common], difficulty: ['EXPERT'] }),
    browse('rarest category, difficulty and type', rareFacets.question, 'G1 G2'),
    browse('common tag', { tags: [tags.common] }, 'tags'),
    browse('middling tag', { tags: [tags.middling] }, 'tags'),
    browse('rare tag', { tags: [tags.rare] }, 'tags G2'),
    browse(
      'common tag, difficulty and type',
      { tags: [tags.common], difficulty: ['EXPERT'], type: ['OPEN_ENDED'] },
      'tags',
    ),
    browse(
      'common tag in a common category',
      { tags: [tags.common], category: [categories.common] },
      'tags',
    ),
    browse('any of three tags', { tags: [tags.common, tags.middling, tags.rare] }, 'tags'),
    browse('all of two tags', { tags: [tags.common, tags.second], tags_match: 'all' }, 'tags'),
    random('everything', {}),
    random('common category', { category: [categories.common] }),
    random('three categories', {
      category: [categories.common, categories.second, categories.rare],
    }),
    random('difficulty and type', { difficulty: ['EXPERT', 'HARD'], type: ['OPEN_ENDED'] }),
    random('rarest category, difficulty and type', rareFacets.question, 'G4 G2'),
    random('common tag', { tags: [tags.common] }),
    random('middling tag', { tags: [tags.middling] }),
    random('rare tag', { tags: [tags.rare] }),
    random('all of two tags', { tags: [tags.common, tags.second], tags_match: 'all' }),
    ...[
      ['on most questions', 'which of these'],
      ['a word of a title', titleWord],
      ['on the questions of one quiz', sample.someTitle],
      ['on none', 'nothing is called so'],
      ['of two letters, common', 'of'],
      ['of two letters, on none', 'zx'],
    ].flatMap(([name, text]) => [
      browse(`text, ${name}`, { text }),
      random(`text, ${name}`, { text }),
    ]),
    browse('text, a word of a title, in a common category', {
      text: titleWord,
      category: [categories.common],
    }),
    random('everything, with a seed', { seed: 'a seed' }),
    random('common category, with a seed', { category: [categories.common], seed: 'a seed' }),
    random('common tag, with a seed', { tags: [tags.common], seed: 'a seed' }),
    { name: 'detail', find: 'detail', query: sample.quizId, row: 'G1' },
    { name: 'metadata', find: 'metadata', query: {}, row: 'G1' },
    { name: 'categories', find: 'topics', query: {}, row: 'G1' },
    ...deep(['half', 'next', 'last']),
  ];

  /** Pages far behind, against the first page of the same read. */
  function deep(places) {
    return [
      list('by popular', { sort: 'popular' }),
      list('by newest', { sort: 'newest' }),
      list('by title', { sort: 'title' }),
      list('by popular, in a common category', { sort: 'popular', category: [categories.common] }),
      list('by title, in a common category', { sort: 'title', category: [categories.common] }),
      list('by popular, difficulty', { sort: 'popular', difficulty: ['EXPERT'] }),
      list('by popular, common tag', { sort: 'popular', tags: [tags.common] }),
      browse('everything', {}),
      browse('common category', { category: [categories.common] }),
      browse('difficulty', { difficulty: ['EXPERT'] }),
      browse('difficulty and type', { difficulty: ['EXPERT', 'HARD'], type: ['OPEN_ENDED'] }),
      browse('category and difficulty', { category: [categories.common], difficulty: ['EXPERT'] }),
      browse('three categories', {
        category: [categories.common, categories.second, categories.rare],
      }),
      browse('common tag', { tags: [tags.common] }),
      random('everything, with a seed', { seed: 'a seed' }),
      random('common category, with a seed', { category: [categories.common], seed: 'a seed' }),
      random('common tag, with a seed', { tags: [tags.common], seed: 'a seed' }),
    ].flatMap((read) =>
      places
        // Links carry a position where questions are browsed in order.
        .filter((place) => place !== 'next' || read.name.startsWith('browse'))
        .map((place) => ({
          ...read,
          first: read.name,
          name: `${read.name}, ${PLACES[place]}`,
          place,
          row: 'G3',
        })),
    );
  }
}

const PAGE = { limit: 10, offset: 0 };

const PLACES = { half: 'at half', next: 'at half by links.next', last: 'last page' };

const list = (name, query, row = 'G1') => ({
  name: `list: ${name}`,
  find: 'list',
  row,
  query: { ...new ListQuizzesQuery(), ...PAGE, ...query },
});

const browse = (name, query, row = 'G1') => ({
  name: `browse: ${name}`,
  find: 'browse',
  row,
  query: { ...new BrowseQuestionsQuery(), ...PAGE, ...query },
});

const random = (name, query, row = 'G4') => {
  const read = browse(name, query, row);
  return { ...read, name: `random: ${name}`, query: { ...read.query, random: true } };
};
