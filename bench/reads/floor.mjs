// The floor of the reads: node:http and pg, the service's own SQL, and nothing else: no key, no validation,
// no log, no limit. Its first message is its address. READER_ID and DATABASE_URL name the
// reader and the database.
import 'reflect-metadata';
import { createServer } from 'node:http';
import pg from 'pg';
import { databaseOptions } from '../../dist/platform/database/data-source.js';
import { BrowseQuestionsQuery } from '../../dist/catalog/questions/questions.dto.js';
import { ListQuizzesQuery } from '../../dist/catalog/quizzes/quizzes.dto.js';
import { paginationMeta } from '../../dist/catalog/questions/pagination.rules.js';
import { pageCursorOf } from '../../dist/catalog/questions/cursor.rules.js';
import { QuestionsService } from '../../dist/catalog/questions/questions.service.js';
import { QuizzesService } from '../../dist/catalog/quizzes/quizzes.service.js';
import { successBody } from '../../dist/platform/http/server/text-response.js';

const { DATABASE_URL: url, READER_ID: reader } = process.env;
const { extra, poolSize } = databaseOptions(url);
const pool = new pg.Pool({ connectionString: url, max: poolSize, ...extra });
/** Takes the arguments of TypeORM's `query`; a prepared statement is { name, text }. */
const database = { query: async (text, values) => (await pool.query(text, values)).rows };
const primary = { read: (_, work) => work(database) };
const quizzes = new QuizzesService(primary);
const questions = new QuestionsService(primary);

const PAGE = { limit: 10, offset: 0 };
const LIST = { ...new ListQuizzesQuery(), ...PAGE };
const BROWSE = { ...new BrowseQuestionsQuery(), ...PAGE };

async function answer(path) {
  if (path === '/api/v1/quizzes') {
    const { quizzes: page, total } = await quizzes.list(reader, LIST);
    return successBody(page, { total, ...PAGE });
  }
  if (path === '/api/v1/questions') {
    const { questions: page, count, total, last } = await questions.browse(reader, BROWSE);
    const after = last && pageCursorOf(last, PAGE.limit);
    return successBody(page, paginationMeta({}, { total, pageTotal: count, ...PAGE, after }));
  }
  return successBody(await quizzes.getJson(reader, path.slice('/api/v1/quizzes/'.length)));
}

const server = createServer(async (request, response) => {
  const body = await answer(request.url);
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
