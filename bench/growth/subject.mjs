import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { DiscoveryService } from '../../dist/catalog/discovery/discovery.service.js';
import { pageCursorOf } from '../../dist/catalog/questions/cursor.rules.js';
import { QuestionsService } from '../../dist/catalog/questions/questions.service.js';
import { QuizzesService } from '../../dist/catalog/quizzes/quizzes.service.js';
import { databaseOptions } from '../../dist/platform/database/data-source.js';
import { sampleOf } from './sample.mjs';

/** The first runs of a prepared statement have plans for their values. */
const RUNS_WITH_OWN_PLAN = 5;

/** A value as the driver sends it. */
const literalOf = (value) => pg.escapeLiteral(String(prepareValue(value)));

/** The service's own reads on the database of one scale, and what PostgreSQL does for each. */
export class Subject {
  #prepared = new Set();

  static async open({ url, scale }) {
    const client = new pg.Client({
      connectionString: url,
      ...databaseOptions(url).extra,
      statement_timeout: 0,
    });
    await client.connect();
    await client.query('SET track_io_timing = on');
    const subject = new Subject();
    subject.client = client;
    subject.scale = scale;
    subject.sample = await sampleOf(client);
    return subject;
  }

  /** The statements that a read sends, each with its name and its values. */
  async statementsOf({ find, query, place }) {
    const statements = [];
    const database = {
      query: async (statement, values) => {
        const { name, text } = statement.text ? statement : { text: statement };
        const { rows } = await this.client.query(text, values);
        statements.push({ name, text, values });
        return rows;
      },
    };
    // As the service's own place to read at, without replicas.
    const reads = { read: (_, work) => work(database) };
    const { reader } = this.sample;
    const ask = {
      list: (asked) => new QuizzesService(reads).list(reader, asked),
      browse: (asked) =>
        new QuestionsService(reads).browse(
          reader,
          asked,
          asked.random ? (asked.seed ?? 'any') : undefined,
        ),
      detail: (id) => new QuizzesService(reads).getJson(reader, id),
      metadata: () => new DiscoveryService(reads, CLOCK, UNCHANGED).metadata(),
      topics: () => new DiscoveryService(reads, CLOCK, UNCHANGED).topics(),
    }[find];
    if (!place) await ask(query);
    else {
      const { total } = await ask(query);
      const pages = Math.ceil(total / query.limit);
      const offset = (place === 'last' ? pages - 1 : pages >> 1) * query.limit;
      const { last } = await ask({ ...query, offset });
      statements.length = 0;
      const next = offset + query.limit;
      await ask(
        place === 'next'
          ? { ...query, offset: next, after: pageCursorOf(last, next) }
          : { ...query, offset },
      );
    }
    return statements;
  }

  /**
   * Milliseconds to plan and to run them, and the pages that they looked at, once. What passed while pages came from
   * the disk is not counted: the targets are those of data that is in memory, and at a million quizzes it is not here.
   */
  async measure(statements, planCacheMode = 'auto') {
    await this.client.query(`SET plan_cache_mode = ${planCacheMode}`);
    const sum = { planning: 0, running: 0, buffers: 0 };
    for (const statement of statements) {
      const { text, values } = await this.#asSent(statement);
      const {
        rows: [row],
      } = await this.client.query(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
        values,
      );
      const [explained] = row['QUERY PLAN'];
      sum.planning += explained['Planning Time'];
      sum.running += explained['Execution Time'] - explained.Plan['Shared I/O Read Time'];
      sum.buffers += explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'];
    }
    return sum;
  }

  /**
   * What to explain of a statement. One with a name is prepared and has run five times: from then on PostgreSQL may keep a
   * plan for all values. One without a name is planned for its values each time.
   */
  async #asSent({ name, text, values }) {
    if (name === undefined) return { text, values };
    const given = values
      .map((it) => (it === null || it === undefined ? 'NULL' : literalOf(it)))
      .join(', ');
    const execute = `EXECUTE ${name}${given && `(${given})`}`;
    if (!this.#prepared.has(name)) {
      this.#prepared.add(name);
      await this.client.query(`PREPARE ${name} AS ${text}`);
      for (let run = 0; run < RUNS_WITH_OWN_PLAN; run++) await this.client.query(execute);
    }
    return { text: execute };
  }

  /** The plans as PostgreSQL prints them: those that `measure` measures. */
  async explain(statements) {
    const plans = [];
    await this.client.query('SET plan_cache_mode = auto');
    for (const statement of statements) {
      const { text, values } = await this.#asSent(statement);
      const { rows } = await this.client.query(`EXPLAIN (ANALYZE, BUFFERS) ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  }

  close() {
    return this.client.end();
  }
}

const CLOCK = { now: () => new Date() };
const UNCHANGED = { revision: 0 };
