import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
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
import { QuizLink } from './quiz-link.entity';
import {
  LINK_LIMIT_REACHED,
  LINKS_NOT_ALLOWED,
  toUnlistedLink,
  type UnlistedLink,
} from './quiz-links.dto';
import { findLinkedQuiz, type LinkedQuiz } from './quiz-links.queries';
import { tokenOf } from './quiz-links.rules';

const MOST = LIMITS.content.linksPerQuiz.value;

/**
 * Unlisted links. Whoever has one can play the quiz as its owner has it now, before and without review; it is in no
 * list, search or response of anybody but the owner. Revoking and closing take effect for the next attempt, and
 * attempts that have begun can be finished.
 */
@Injectable()
export class QuizLinksService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(QuizLink) private readonly links: Repository<QuizLink>,
    private readonly owned: OwnedQuizzesService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Of one of the account's quizzes, newest first. @throws NotFound */
  async list(accountId: string, quizId: string): Promise<UnlistedLink[]> {
    const { id } = await this.owned.get(accountId, quizId);
    const links = await this.links.find({ where: { quizId: id }, order: { id: 'DESC' } });
    return links.map(toUnlistedLink);
  }

  /**
   * @param closesAt no attempt starts from then on; null: until it is revoked
   * @throws NotFound, Forbidden where the operator does not allow links, Invalid, LimitExceeded
   */
  async create(accountId: string, quizId: string, closesAt: Date | null): Promise<UnlistedLink> {
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
      if ((await tx.countBy(QuizLink, { quizId: id })) >= MOST)
        throw new LimitExceeded(LINK_LIMIT_REACHED.error, LINK_LIMIT_REACHED.name);
      const token = randomBytes(16).toString('base64url');
      const link = { id: newId(), quizId: id, token, closesAt, createdAt: now };
      await tx.insert(QuizLink, link);
      return toUnlistedLink(link);
    });
  }

  /** @throws NotFound */
  async revoke(accountId: string, quizId: string, linkId: string): Promise<void> {
    const { id } = await this.owned.get(accountId, quizId);
    if (!isId(linkId)) throw new NotFound('Link');
    const { affected } = await this.links.delete({ id: linkId, quizId: id });
    if (!affected) throw new NotFound('Link');
  }

  /**
   * The quiz that a link opens.
   * @param slug of the URL, with its mark
   * @throws NotFound for an unknown or revoked one, a deleted quiz and a disabled account; Gone after its closing date
   */
  async open(slug: string): Promise<LinkedQuiz> {
    const token = this.config.unlistedLinks ? tokenOf(slug) : undefined;
    const link = token && (await findLinkedQuiz(this.database.manager, token));
    if (!link) throw new NotFound('Quiz');
    if (link.closesAt && link.closesAt <= this.clock.now())
      throw new Gone('This link has closed. Ask the author of the quiz for another one.');
    return link;
  }
}
