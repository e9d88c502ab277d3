import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import {
  Forbidden,
  Gone,
  Invalid,
  LimitExceeded,
  NotFound,
} from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import { LINK_LIMIT_REACHED, LINKS_NOT_ALLOWED, type UnlistedLink } from './quiz-links.dto';

/** Begins the token of a link in a URL: a quiz's slug never contains it. */
const MARK = '~';
const COLUMNS = `id, '/play/${MARK}' || token AS path, closes_at AS "closesAt", created_at AS "createdAt"`;
const MOST = LIMITS.content.linksPerQuiz.value;

/** Whether the last part of a player's URL is a link's, and not a quiz's slug. */
export const isLink = (slug: string): boolean => slug.startsWith(MARK);

/**
 * Unlisted links. Whoever has one can play the quiz as its owner has it now, before and without review; it is in no
 * list, search or response of anybody but the owner. Revoking and closing take effect for the next attempt, and
 * attempts that have begun can be finished.
 */
@Injectable()
export class QuizLinksService {
  constructor(
    private readonly database: DataSource,
    private readonly owned: OwnedQuizzesService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Of one of the account's quizzes, newest first. @throws NotFound */
  async list(accountId: string, quizId: string): Promise<UnlistedLink[]> {
    const { id } = await this.owned.get(accountId, quizId);
    return this.database.query<UnlistedLink[]>(
      `SELECT ${COLUMNS} FROM quiz_links WHERE quiz_id = $1 ORDER BY id DESC`,
      [id],
    );
  }

  /**
   * @param closesAt no attempt starts from then on; null: until it is revoked
   * @throws NotFound, Forbidden where the operator does not allow links, Invalid, LimitExceeded
   */
  create(accountId: string, quizId: string, closesAt: Date | null): Promise<UnlistedLink> {
    if (!this.config.unlistedLinks)
      throw new Forbidden(LINKS_NOT_ALLOWED.error, LINKS_NOT_ALLOWED.name);
    const now = this.clock.now();
    if (closesAt && closesAt <= now)
      throw new Invalid('The link', [
        { path: 'closesAt', message: 'the closing time must be in the future', code: 'past' },
      ]);
    return this.database.transaction(async (tx) => {
      // The lock makes concurrent requests count each other's links.
      const { id } = await this.owned.lock(tx, accountId, quizId);
      const [link] = await tx.query<UnlistedLink[]>(
        `INSERT INTO quiz_links (id, quiz_id, token, closes_at, created_at)
         SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM quiz_links WHERE quiz_id = $2) < ${MOST}
         RETURNING ${COLUMNS}`,
        [newId(), id, randomBytes(16).toString('base64url'), closesAt, now],
      );
      if (!link) throw new LimitExceeded(LINK_LIMIT_REACHED.error, LINK_LIMIT_REACHED.name);
      return link;
    });
  }

  /** @throws NotFound */
  async revoke(accountId: string, quizId: string, linkId: string): Promise<void> {
    const { id } = await this.owned.get(accountId, quizId);
    const [, revoked] = isId(linkId)
      ? await this.database.query<[unknown[], number]>(
          `DELETE FROM quiz_links WHERE id = $1 AND quiz_id = $2`,
          [linkId, id],
        )
      : [];
    if (!revoked) throw new NotFound('Link');
  }

  /**
   * The quiz that a link opens.
   * @param slug of the URL, with its mark
   * @throws NotFound for an unknown or revoked one, a deleted quiz and a disabled account; Gone after its closing date
   */
  async open(slug: string): Promise<{ linkId: string; quizId: string; ownerId: string }> {
    const [link] =
      this.config.unlistedLinks && /^~[\w-]{22}$/.test(slug)
        ? await this.database.query<
            { linkId: string; quizId: string; ownerId: string; closesAt: Date | null }[]
          >(
            `SELECT l.id AS "linkId", q.id AS "quizId", q.owner_id AS "ownerId", closes_at AS "closesAt"
             FROM quiz_links l JOIN quizzes q ON q.id = l.quiz_id WHERE token = $1 AND NOT withheld`,
            [slug.slice(MARK.length)],
          )
        : [];
    if (!link) throw new NotFound('Quiz');
    if (link.closesAt && link.closesAt <= this.clock.now())
      throw new Gone('This link has closed. Ask the author of the quiz for another one.');
    return link;
  }
}
