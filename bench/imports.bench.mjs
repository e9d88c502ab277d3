// Imports of fifty questions: the service's transaction against the same through an ORM's cascade.
import { randomUUID } from 'node:crypto';
import { Child } from './support/child.mjs';
import { cpuOf } from './support/cpu.mjs';
import { startWithOwner } from './support/postgres.mjs';
import { median } from './support/statistics.mjs';

export const about = 'CPU for an import of fifty questions, against an ORM cascade';

export const rows = {
  W1: {
    what: 'import of 50 questions, less CPU',
    against: 'the same through an ORM cascade',
    target: { atLeast: 6 },
  },
};

export const options = {
  rounds: { default: 5, about: 'rounds; the contenders take turns in each' },
  batches: { default: 40, brief: 20, about: 'imports for each contender and round' },
};

/** The service is so quick that it imports more. */
const TIMES = { service: 5, cascade: 1 };
/** A quiz holds a thousand questions. */
const BATCHES_PER_QUIZ = 20;
const STORED = {
  service: 'SELECT count(*)::int AS count FROM questions WHERE quiz_id = ANY ($1)',
  cascade: 'SELECT count(*)::int AS count FROM orm_questions WHERE "quizId" = ANY ($1)',
};

export async function run({ rounds, batches }, defer) {
  const { postgres, url, client, owner } = await startWithOwner('imports', defer);
  const env = { DATABASE_URL: url, OWNER_ID: owner };
  const contenders = [];
  for (const name of ['service', 'cascade']) {
    const { child } = await Child.start(`imports/${name}.mjs`, { env });
    defer(() => child.stop());
    contenders.push({ name, child });
  }

  const turns = [];
  // Round 0 is to warm up.
  for (let round = 0; round <= rounds; round++)
    for (const { name, child } of contenders) {
      const count = batches * TIMES[name];
      const quizIds = Array.from({ length: Math.ceil(count / BATCHES_PER_QUIZ) }, () =>
        randomUUID(),
      );
      if (name === 'service') for (const id of quizIds) await insertQuiz(client, id, owner);
      // Autovacuum would come by in one round and not in the next.
      await client.query('VACUUM ANALYZE');
      const cpu = () => [cpuOf(child.pid), cpuOf(postgres.pid)];
      const before = cpu();
      await child.ask({ quizIds, batches: count });
      const [node, database] = cpu().map((after, place) => (after - before[place]) / count);
      const {
        rows: [stored],
      } = await client.query(STORED[name], [quizIds]);
      if (stored.count !== count * 50)
        throw new Error(`${name}: void, ${stored.count} questions were stored.`);
      if (round > 0) turns.push({ round, name, node, postgres: database, cpu: node + database });
    }
  return summary(turns);
}

/** A public one, so that every import changes the counters too. */
const insertQuiz = (client, id, owner) =>
  client.query(
    `INSERT INTO quizzes (id, owner_id, title, title_sort, category_key, difficulty, tags, tag_keys, slug, published,
       approval, featured, created_at, updated_at)
     VALUES ($1, $2, 'Imported', 'imported', '', 'EASY', '{}', '{}', $3, true, 'approved', false, now(), now())`,
    [id, owner, id],
  );

function summary(turns) {
  const of = (name) => turns.filter((turn) => turn.name === name);
  const middle = (name, field) => median(of(name).map((turn) => turn[field])).toFixed(2);
  const cascade = of('cascade');
  const ratio = median(of('service').map(({ cpu }, round) => cascade[round].cpu / cpu));
  return {
    title: 'Imports of fifty questions',
    notes: [
      'Imports: CPU in ms for each import of 50 questions with 152 answers, of Node and of all PostgreSQL processes; both in one transaction under the quiz’s lock, after the validation. The service also keeps the counters, and what finds duplicates.',
    ],
    tables: [
      {
        columns: ['import of 50', 'CPU ms each', 'Node', 'PostgreSQL'],
        rows: ['service', 'cascade'].map((name) => [
          name === 'service' ? 'the service' : 'ORM cascade',
          ...['cpu', 'node', 'postgres'].map((field) => middle(name, field)),
        ]),
      },
    ],
    data: turns,
    measured: { W1: ratio },
  };
}
