import { existsSync } from 'node:fs';
import { Child } from '../support/child.mjs';
import { essence } from './same-answers.mjs';

const installed = (name) =>
  existsSync(new URL(`../peers/node_modules/${name}/package.json`, import.meta.url));

/**
 * PostGraphile is asked for what everybody may see: no key, no visibility of the caller's own, which would be a
 * further branch of each query. Totals are asked for as in our answers, and only the fields of our answers.
 */
async function startPostgraphile({ url, defer }) {
  if (!installed('postgraphile'))
    return { missing: 'skipped: install with npm ci --prefix bench/peers' };
  const env = { DATABASE_URL: url, NODE_ENV: 'production', GRAPHILE_ENV: 'production' };
  const { child, first: origin } = await Child.start('peers/postgraphile.mjs', { env });
  defer(() => child.stop());
  return {
    child,
    origin,
    about:
      'version 5, Amber preset in production mode, its answer to one GraphQL query for each read, which it has parsed and planned before; public content only, without a key, a limit or a log.',
    requests: (read, { quizIds }) =>
      (read === 'detail' ? quizIds : [null]).map((id) => ({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query: QUERIES[read], ...(id && { variables: { id } }) }),
      })),
    essence: (read, { data }) => {
      if (read !== 'detail') return data.page.nodes.map(({ rowId }) => rowId);
      const { rowId, questions } = data.quiz;
      return [rowId, ...questions.nodes.map((it) => [it.rowId, it.answers.length])];
    },
  };
}

const ITEM = 'rowId title description category difficulty tags questionCount plays slug';
const QUERIES = {
  list: `{ page: allQuizzes(condition: {isPublic: true}, orderBy: [PLAYS_DESC, CREATED_AT_DESC, ROW_ID_DESC], first: 10) {
    nodes { ${ITEM} } totalCount } }`,
  detail: `query ($id: UUID!) { quiz: quizByRowId(rowId: $id) { ${ITEM}
    questions: questionsByQuizId(orderBy: POSITION_ASC) { nodes { rowId text type difficulty explanation position answers } } } }`,
  browse: `{ page: allQuestions(condition: {isPublic: true}, orderBy: [QUIZ_ID_ASC, POSITION_ASC], first: 10) {
    nodes { rowId text type difficulty explanation answers quizId quiz: quizByQuizId { title category tags } } totalCount } }`,
};

/** Directus is asked for the same by its REST API, with the relations of a row as it nests them. */
async function startDirectus({ url, defer }) {
  if (!installed('directus'))
    return { missing: 'skipped: install with npm run --prefix bench/peers directus' };
  const env = { DATABASE_URL: url, NODE_ENV: 'production' };
  const { child, first: origin } = await Child.start('peers/directus.mjs', { env });
  defer(() => child.stop());
  return {
    child,
    origin,
    warmUp: 500,
    about:
      'version 11.1.0, its REST API for public content, without a token, a limit, a log or its response cache.',
    requests: (read, { quizIds }) =>
      (read === 'detail' ? quizIds : ['']).map((id) => ({ path: PATHS[read](id) })),
    essence,
  };
}

const FIELDS = 'fields=id,title,description,category,difficulty,tags,question_count,plays,slug';
const QUESTION = ['id', 'text', 'type', 'difficulty', 'explanation', 'answers'];
const PATHS = {
  list: () => `/items/quizzes?${FIELDS}&sort=-plays,-created_at,-id&limit=10&meta=filter_count`,
  detail: (id) =>
    `/items/quizzes/${id}?${FIELDS},${[...QUESTION, 'position'].map((it) => `questions.${it}`)}&deep[questions][_sort]=position&deep[questions][_limit]=-1`,
  browse: () =>
    `/items/questions?fields=${QUESTION},quiz_id.id,quiz_id.title,quiz_id.category,quiz_id.tags&sort=quiz_id,position&limit=10&meta=filter_count`,
};

export const PEERS = { PostGraphile: startPostgraphile, Directus: startDirectus };
