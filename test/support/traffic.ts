import { Client, type DatabaseError } from 'pg';
import { newId } from '../../src/platform/text/ids';

/**
 * What an older version asks of its database, by statements that every schema of an upgrade understands: creations with
 * their questions and events, plays, publishing, lists, searches, and a worker that takes events.
 */
export class Traffic {
  /** What a caller would have got as an error. */
  readonly errors: string[] = [];
  private readonly rounds = new Map<string, number>();
  private readonly clients: Client[] = [];
  private running: Promise<void>[] = [];
  private stopping = false;

  constructor(
    private readonly url: string,
    private readonly owner: string,
  ) {}

  async start(writers: number, readers: number): Promise<void> {
    for (let i = 0; i < writers; i++) await this.loop('write', (client) => this.write(client));
    for (let i = 0; i < readers; i++) await this.loop('read', (client) => this.read(client));
    await this.loop('work', (client) => this.work(client));
  }

  /** Resolves when each kind of work was done so many times more. */
  async goesOn(times: number): Promise<void> {
    const before = new Map(this.rounds);
    const isBehind = () =>
      [...this.rounds].some(([kind, count]) => count < (before.get(kind) ?? 0) + times);
    while (isBehind() && this.errors.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async stop(): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    await Promise.all(this.running);
    await Promise.all(this.clients.map((client) => client.end()));
  }

  private async loop(kind: string, work: (client: Client) => Promise<unknown>): Promise<void> {
    // As the service's own connections.
    const client = new Client({ connectionString: this.url, statement_timeout: 15_000 });
    await client.connect();
    this.clients.push(client);
    this.rounds.set(kind, 0);
    this.running.push(this.repeat(client, kind, work));
  }

  private async repeat(client: Client, kind: string, work: (client: Client) => Promise<unknown>) {
    while (!this.stopping)
      try {
        await client.query('BEGIN');
        await work(client);
        await client.query('COMMIT');
        this.rounds.set(kind, (this.rounds.get(kind) ?? 0) + 1);
      } catch (error) {
        await client.query('ROLLBACK');
        // The service does these again (RetryingDataSource).
        if ((error as DatabaseError).code !== '40P01')
          this.errors.push(`${kind}: ${(error as Error).message}`);
      }
  }

  private async write(client: Client): Promise<void> {
    const id = newId();
    await client.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [this.owner]);
    await client.query('SELECT count(*) FROM quizzes WHERE owner_id = $1', [this.owner]);
    await client.query(
      `INSERT INTO quizzes (id, owner_id, title, title_sort, category, category_key, difficulty, tags, tag_keys, slug,
         published, approval, featured, created_at, updated_at)
       VALUES ($1, $2, 'New', 'new', 'Art', 'art', 'EASY', '{all}', '{all}', 'new-' || $1::uuid, true, 'approved', false, now(), now())`,
      [id, this.owner],
    );
    await client.query(`INSERT INTO quiz_search (quiz_id, content) VALUES ($1, 'new')`, [id]);
    await client.query(
      `INSERT INTO outbox_events (id, name, account_id, body, created_at) VALUES ($1, 'quiz.created', $2, '{}', now())`,
      [newId(), this.owner],
    );
    await client.query('COMMIT');
    await client.query('BEGIN');
    await client.query('UPDATE quizzes SET plays = plays + 1 WHERE id = $1', [id]);
    await client.query('COMMIT');
    await client.query('BEGIN');
    await client.query('UPDATE quizzes SET published = false WHERE id = $1', [id]);
  }

  private async read(client: Client): Promise<void> {
    await client.query(
      'SELECT id, title FROM quizzes WHERE is_public ORDER BY plays DESC LIMIT 10',
    );
    await client.query(
      `SELECT count(*) FROM quizzes WHERE is_public AND id IN (SELECT quiz_id FROM quiz_search WHERE content LIKE '%new%')`,
    );
    await client.query('SELECT sum(quizzes) FROM offset_index');
  }

  private async work(client: Client): Promise<void> {
    await client.query('SELECT id FROM outbox_events LIMIT 5 FOR UPDATE SKIP LOCKED');
    await client.query('SELECT id FROM webhook_endpoints WHERE account_id = $1', [this.owner]);
  }
}
