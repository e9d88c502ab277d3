import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../clock';
import { KeyInUse, KeyReused } from './idempotency-errors';
import { KEY_LASTS, lockOf } from './idempotency.rules';

/** A request that carries an Idempotency-Key. */
export interface KeyedRequest {
  accountId: string;
  key: string;
  fingerprint: Buffer;
}

/** What a request is answered with. */
export interface Answer {
  body: object;
  /** Where what was made is to be found. */
  location?: string;
  /** It was given before, to an earlier request. */
  replayed?: true;
}

/**
 * Changes that happen once, however often their request is sent. The answer is written in the transaction of
 * the change: there is never the one without the other, and a request that fails leaves nothing behind.
 */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The answer that the same request was given; null where there is none (yet). */
  async findAnswer(request: KeyedRequest): Promise<Answer | null> {
    const found = await this.find(this.database.manager, request);
    return found && isOf(request, found) ? replay(found) : null;
  }

  /** Whether the key stands for a request already, this one or another: before a long body it is good to know. */
  async isUsed(request: Pick<KeyedRequest, 'accountId' | 'key'>): Promise<boolean> {
    return (await this.find(this.database.manager, request)) !== undefined;
  }

  /**
   * Does the work in a transaction. With a key: unless it was done before, and then the answer is that of then.
   * @param request null for a request without a key
   * @param work what it throws undoes everything, so the key is free again
   * @throws KeyReused, KeyInUse
   */
  once(
    request: KeyedRequest | null,
    work: (tx: EntityManager) => Promise<Answer>,
  ): Promise<Answer> {
    return this.database.transaction(async (tx) => {
      if (!request) return work(tx);
      // Held until the transaction ends, also by a crash. Nobody waits for it: a client that repeats what is
      // being worked on is told so.
      const [lock] = await tx.query<[{ taken: boolean }]>(
        'SELECT pg_try_advisory_xact_lock($1) AS taken',
        [lockOf(request.accountId, request.key)],
      );
      if (!lock.taken) throw new KeyInUse();
      const found = await this.find(tx, request);
      if (found && !isOf(request, found)) throw new KeyReused();
      if (found) return replay(found);
      const answer = await work(tx);
      await tx.query(STORE, [
        request.accountId,
        request.key,
        request.fingerprint,
        JSON.stringify(answer.body),
        answer.location ?? null,
        this.clock.now(),
      ]);
      return answer;
    });
  }

  private async find(
    database: EntityManager,
    { accountId, key }: Pick<KeyedRequest, 'accountId' | 'key'>,
  ): Promise<StoredAnswer | undefined> {
    const since = new Date(this.clock.now().getTime() - KEY_LASTS);
    const [found] = await database.query<StoredAnswer[]>(FIND, [accountId, key, since]);
    return found;
  }
}

interface StoredAnswer {
  fingerprint: Buffer;
  body: string;
  location: string | null;
}

const isOf = (request: KeyedRequest, found: StoredAnswer) =>
  found.fingerprint.equals(request.fingerprint);

const replay = ({ body, location }: StoredAnswer): Answer => ({
  body: JSON.parse(body) as object,
  ...(location !== null && { location }),
  replayed: true,
});

const FIND = `
SELECT fingerprint, body, location FROM idempotent_answers
WHERE account_id = $1 AND key = $2 AND created_at > $3`;

/** The row that may be there is older than a day: nothing younger was found under the lock. */
const STORE = `
INSERT INTO idempotent_answers (account_id, key, fingerprint, body, location, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT ON CONSTRAINT idempotent_answers_pkey DO UPDATE SET
  fingerprint = excluded.fingerprint, body = excluded.body, location = excluded.location,
  created_at = excluded.created_at`;
