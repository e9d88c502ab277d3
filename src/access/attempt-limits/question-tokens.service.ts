import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../platform/clock';
import type { Sql } from '../../platform/database/sql';
import { HOUR } from '../../platform/durations';
import { LIMITS } from '../../platform/limits/limits';
import { AttemptLimits } from './attempt-limits.service';
import {
  addGiven,
  forgetGiven,
  givenUnder,
  insertToken,
  lockToken,
} from './question-tokens.queries';

/** As OpenTDB's: after six hours in which it is not used. */
const EXPIRES_AFTER = 6 * HOUR;

/**
 * Session tokens that are given each question once. They are rows of `attempt_limits`, which has a hashed key, an end and
 * a sweep already: known to every process and after a restart, and no table of their own.
 */
@Injectable()
export class QuestionTokens {
  constructor(
    private readonly database: DataSource,
    private readonly limits: AttemptLimits,
    private readonly clock: Clock,
  ) {}

  /** @throws TooManyAttempts */
  async issue(address: string): Promise<string> {
    await this.limits.take('questionTokenByAddress', { address });
    const token = randomBytes(32).toString('hex');
    await insertToken(this.database.manager, keyOf(token), this.ends());
    return token;
  }

  /** Forgets what the token was given. @returns whether it is known */
  reset(token: string): Promise<boolean> {
    return forgetGiven(this.database.manager, keyOf(token), this.clock.now(), this.ends());
  }

  /**
   * Draws questions under the token's lock, and notes them.
   * @param draw gets a selection of the ids that the token was given
   * @returns what was drawn; `unknown` also for a token that has expired; `full`: it was given as many as it can note
   */
  use<Drawn extends { ids: readonly string[] }>(
    token: string,
    draw: (tx: EntityManager, given: Sql) => Promise<Drawn>,
  ): Promise<Drawn | 'unknown' | 'full'> {
    const key = keyOf(token);
    return this.database.transaction(async (tx) => {
      const count = await lockToken(tx, key, this.clock.now());
      if (count === undefined) return 'unknown';
      if (count >= LIMITS.requests.questionsPerToken.value) return 'full';
      const drawn = await draw(tx, givenUnder(key));
      await addGiven(tx, key, drawn.ids, this.ends());
      return drawn;
    });
  }

  private ends(): Date {
    return new Date(this.clock.now().getTime() + EXPIRES_AFTER);
  }
}

/** Only the hash is stored. */
const keyOf = (token: string) =>
  `question-token ${createHash('sha256').update(token).digest('hex')}`;
