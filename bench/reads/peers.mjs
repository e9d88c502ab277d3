import { existsSync } from 'node:fs';
import { Child } from '../support/child.mjs';

const installed = (name) =>
  existsSync(new URL(`../peers/node_modules/${name}/package.json`, import.meta.url));

/**
 * PostGraphile is asked for what everybody may see: no key, no visibility of the caller's own, which would be a
 * further arm of each query. Totals are asked for as in our answers, and only the fields of our answers.
 */
async function startPostgraphile({ url, defer }) {
  const name = 'PostGraphile';
  if (!installed('postgraphile')) return { missing: 'not installed: npm ci --prefix bench/peers' };
  const env = { DATABASE_URL: url, NODE_ENV: 'production', GRAPHILE_ENV: 'production' };
  const { child, first: origin } = await Child.start('peers/postgraphile.mjs', { env });
  defer(() => child.stop());
  return {
    name,
    child,
    origin,
    about: ABOUT,
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

const ABOUT =
  'version 5, Amber preset in production mode, its answer to one GraphQL query for each read, which it has parsed and planned before; public content only, without a key, a limit or a log.';

const ITEM = 'rowId title description category difficulty tags questionCount plays slug';
const QUERIES = {
  list: `{ page: allQuizzes(condition: {isPublic: true}, orderBy: [PLAYS_DESC, CREATED_AT_DESC, ROW_ID_DESC], first: 10) {
    nodes { ${ITEM} } totalCount } }`,
  detail: `query ($id: UUID!) { quiz: quizByRowId(rowId: $id) { ${ITEM}
    questions: questionsByQuizId(orderBy: POSITION_ASC) { nodes { rowId text type difficulty explanation position answers } } } }`,
  browse: `{ page: allQuestions(condition: {isPublic: true}, orderBy: [QUIZ_ID_ASC, POSITION_ASC], first: 10) {
    nodes { rowId text type difficulty explanation answers quizId quiz: quizByQuizId { title category tags } } totalCount } }`,
};

/** By the rows that they are in. */
export const PEERS = {
  P: { name: 'PostGraphile', start: startPostgraphile },
  P4: {
    name: 'Directus',
    start: () => ({ missing: 'not measured: docs/performance.md says why' }),
  },
};
