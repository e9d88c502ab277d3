import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock';
import { DomainError } from '../platform/domain-errors';
import { fold } from '../platform/text.rules';
import { addressKey } from '../platform/http/client-address.rules';

const MINUTE = 60_000;

/** How often within how long. An account's limit holds for every address, known or unknown. */
const LIMITS = {
  'sign-in by address': { attempts: 30, within: 15 * MINUTE },
  'sign-in by account': { attempts: 10, within: 15 * MINUTE },
  'sign-up by address': { attempts: 10, within: 60 * MINUTE },
  'set-up by address': { attempts: 10, within: 15 * MINUTE },
  // A school plays from one address.
  'play by address': { attempts: 300, within: 15 * MINUTE },
} as const;

export type AttemptKind = keyof typeof LIMITS;

/** Somebody guesses. The sentence says when to come back. */
export class TooManyAttempts extends DomainError {
  constructor(readonly seconds: number) {
    const minutes = Math.ceil(seconds / 60);
    super(
      'rate-limited',
      `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    );
  }
}

/** Bounds the guessing of passwords and links, in the database: for all processes and over restarts. */
@Injectable()
export class AttemptLimits {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts an attempt. Before it is made and not after: a hundred at once are counted too.
   * @throws TooManyAttempts
   */
  async take(kind: AttemptKind, of: string): Promise<void> {
    const { attempts, within } = LIMITS[kind];
    const now = this.clock.now();
    const [row] = await this.database.query<{ attempts: number; ends_at: Date }[]>(TAKE, [
      keyOf(kind, of),
      now,
      new Date(now.getTime() + within),
    ]);
    if (row && row.attempts > attempts)
      throw new TooManyAttempts(Math.ceil((row.ends_at.getTime() - now.getTime()) / 1_000));
    if (row?.attempts === 1)
      await this.database.query(`DELETE FROM attempt_limits WHERE ends_at < $1`, [now]);
  }

  /** The attempt was right: what came before it is forgotten. */
  async forget(kind: AttemptKind, of: string): Promise<void> {
    await this.database.query(`DELETE FROM attempt_limits WHERE key = $1`, [keyOf(kind, of)]);
  }
}

/** Hashed, since what people type into a field for e-mail addresses may be a password. */
function keyOf(kind: AttemptKind, of: string): string {
  const subject = kind.endsWith('by address') ? addressKey(of) : fold(of);
  return `${kind} ${createHash('sha256').update(subject).digest('hex')}`;
}

const TAKE = `
INSERT INTO attempt_limits AS l (key, attempts, ends_at) VALUES ($1, 1, $3)
ON CONFLICT (key) DO UPDATE SET
  attempts = CASE WHEN l.ends_at <= $2 THEN 1 ELSE l.attempts + 1 END,
  ends_at = CASE WHEN l.ends_at <= $2 THEN excluded.ends_at ELSE l.ends_at END
RETURNING attempts, ends_at`;
