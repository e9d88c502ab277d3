import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, MoreThan, Repository } from 'typeorm';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import {
  Conflict,
  Forbidden,
  found,
  Gone,
  Invalid,
  LimitExceeded,
  NotFound,
} from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import { tidyNames } from '../attempts/visitor.rules';
import { QuizLink } from './quiz-link.entity';
import {
  LINK_LIMIT_REACHED,
  type LinkFields,
  linkPath,
  LINKS_NOT_ALLOWED,
  type OpenLinks,
  toUnlistedLink,
  type UnlistedLink,
} from './quiz-links.dto';
import {
  findCodedQuiz,
  findLinkedQuiz,
  type LinkedQuiz,
  playersOfLinks,
} from './quiz-links.queries';
import { codeIn, MARK, newCode, notHandedIn, tokenOf } from './quiz-links.rules';

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
    const links = await this.links.find({
      where: { quizId: id, opensPublic: false },
      order: { id: 'DESC' },
    });
    return this.withPlayers(this.database.manager, id, links);
  }

  /** Those by which the quiz can be started now. @throws NotFound */
  async findOpen(accountId: string, quizId: string): Promise<OpenLinks> {
    if (!this.config.unlistedLinks) return { count: 0, newest: null };
    const { id } = await this.owned.get(accountId, quizId);
    const ofQuiz = { quizId: id, opensPublic: false };
    const [[newest], count] = await this.links.findAndCount({
      where: [
        { ...ofQuiz, closesAt: IsNull() },
        { ...ofQuiz, closesAt: MoreThan(this.clock.now()) },
      ],
      order: { id: 'DESC' },
      take: 1,
    });
    return { count, newest: newest ? linkPath(newest) : null };
  }

  /** One of them. @throws NotFound */
  async get(accountId: string, quizId: string, linkId: string): Promise<UnlistedLink> {
    const { id } = await this.owned.get(accountId, quizId);
    const link = await this.find(this.links, id, linkId);
    return this.withPlayersOf(this.database.manager, link);
  }

  /**
   * @param closesAt no attempt starts from then on; null: until it is revoked
   * @throws NotFound, Forbidden where the operator does not allow links, Invalid, LimitExceeded
   */
  async create(
    accountId: string,
    quizId: string,
    { closesAt = null, name = null, names, timeFactor }: LinkFields,
  ): Promise<UnlistedLink> {
    this.requireAllowed();
    const now = this.clock.now();
    requireFuture(closesAt, now);
    return this.database.transaction(async (tx) => {
      // The lock makes concurrent requests count each other's links.
      const { id } = await this.owned.lock(tx, accountId, quizId);
      if ((await tx.countBy(QuizLink, { quizId: id, opensPublic: false })) >= MOST)
        throw new LimitExceeded(LINK_LIMIT_REACHED.error, LINK_LIMIT_REACHED.name);
      const fields = {
        quizId: id,
        closesAt,
        name: name || null,
        names: tidyNames(names ?? []),
        timeFactor: timeFactor ?? 1,
      };
      return toUnlistedLink(await this.insert(tx, fields), fields.names);
    });
  }

  /**
   * Changes the given fields of a link. A closing time in the past is taken only if it stays.
   * @throws NotFound, Invalid
   */
  async change(
    accountId: string,
    quizId: string,
    linkId: string,
    { closesAt, name, names, timeFactor }: LinkFields,
  ): Promise<UnlistedLink> {
    return this.database.transaction(async (tx) => {
      const { id } = await this.owned.lock(tx, accountId, quizId);
      const link = await this.find(tx.getRepository(QuizLink), id, linkId);
      const isSame = closesAt?.getTime() === link.closesAt?.getTime();
      if (closesAt && !isSame) requireFuture(closesAt, this.clock.now());
      const changes = {
        ...(closesAt !== undefined && { closesAt }),
        ...(name !== undefined && { name: name || null }),
        ...(names !== undefined && { names: tidyNames(names ?? []) }),
        ...(timeFactor !== undefined && { timeFactor: timeFactor ?? 1 }),
      };
      await tx.update(QuizLink, { id: link.id }, changes);
      return this.withPlayersOf(tx, { ...link, ...changes });
    });
  }

  /**
   * The code of a link; of the public quiz where there is none. Made when it is first needed.
   * @throws NotFound; Conflict for a quiz that is not public
   */
  async codeOf(accountId: string, quizId: string, linkId: string | null): Promise<string> {
    return this.database.transaction(async (tx) => {
      const quiz = await this.owned.lock(tx, accountId, quizId);
      const links = tx.getRepository(QuizLink);
      if (linkId !== null) {
        const link = await this.find(links, quiz.id, linkId);
        if (link.code) return link.code;
        const code = await this.freeCode(tx);
        await links.update({ id: link.id }, { code });
        return code;
      }
      if (quiz.state !== 'live')
        throw new Conflict(
          `The quiz is not public. ${this.config.unlistedLinks ? 'Share it by an unlisted link.' : 'Publish it first.'}`,
        );
      const before = await links.findOneBy({ quizId: quiz.id, opensPublic: true });
      if (before?.code) return before.code;
      const ofQuiz = { quizId: quiz.id, closesAt: null, name: null, names: [], opensPublic: true };
      return (await this.insert(tx, ofQuiz)).code;
    });
  }

  /**
   * The path of the page that a code opens.
   * @throws NotFound for an unknown code, or one whose link was revoked; Gone after the closing date of the link
   */
  async pathOf(typed: string): Promise<string> {
    const code = codeIn(typed);
    const quiz = code && (await findCodedQuiz(this.database.manager, code));
    if (!quiz || !(quiz.opensPublic || this.config.unlistedLinks)) throw new NotFound('Quiz');
    this.requireOpen(quiz);
    return `/play/${quiz.opensPublic ? quiz.slug : `${MARK}${quiz.token}`}`;
  }

  /** @throws NotFound */
  async revoke(accountId: string, quizId: string, linkId: string): Promise<void> {
    const { id } = await this.owned.get(accountId, quizId);
    if (!isId(linkId)) throw new NotFound('Link');
    const { affected } = await this.links.delete({ id: linkId, quizId: id, opensPublic: false });
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
    // One sentence for all of them, so that nobody learns from it which links there have been.
    if (!link)
      throw new NotFound(
        'Quiz',
        'This link does not work, or no longer does. Ask the author of the quiz for another one.',
      );
    this.requireOpen(link);
    return link;
  }

  private requireOpen({ closesAt }: { closesAt: Date | null }): void {
    if (closesAt && closesAt <= this.clock.now())
      throw new Gone('This link has closed. Ask the author of the quiz for another one.');
  }

  private requireAllowed(): void {
    if (!this.config.unlistedLinks)
      throw new Forbidden(LINKS_NOT_ALLOWED.error, LINKS_NOT_ALLOWED.name);
  }

  private async find(
    links: Repository<QuizLink>,
    quizId: string,
    linkId: string,
  ): Promise<QuizLink> {
    const link =
      isId(linkId) && (await links.findOneBy({ id: linkId, quizId, opensPublic: false }));
    return found('Link', link);
  }

  /** With who of its list of names has not handed in. */
  private async withPlayers(
    database: EntityManager,
    quizId: string,
    links: readonly QuizLink[],
  ): Promise<UnlistedLink[]> {
    const missing = new Map(links.map(({ id, names }) => [id, names]));
    const listed = links.filter(({ names }) => names.length > 0).map(({ id }) => id);
    if (listed.length > 0)
      for await (const page of playersOfLinks(database, quizId, listed))
        for (const id of listed) {
          const players = page.filter(({ linkId }) => linkId === id).map(({ player }) => player);
          missing.set(id, notHandedIn(missing.get(id) ?? [], players));
        }
    return links.map((link) => toUnlistedLink(link, missing.get(link.id) ?? []));
  }

  private async withPlayersOf(database: EntityManager, link: QuizLink): Promise<UnlistedLink> {
    const [shown] = await this.withPlayers(database, link.quizId, [link]);
    return found('Link', shown);
  }

  private async insert(
    tx: EntityManager,
    fields: Pick<QuizLink, 'quizId' | 'closesAt' | 'name' | 'names'> &
      Partial<Pick<QuizLink, 'opensPublic' | 'timeFactor'>>,
  ): Promise<QuizLink & { code: string }> {
    const token = randomBytes(16).toString('base64url');
    const code = await this.freeCode(tx);
    const createdAt = this.clock.now();
    const link = {
      opensPublic: false,
      timeFactor: 1,
      ...fields,
      id: newId(),
      token,
      code,
      createdAt,
    };
    await tx.insert(QuizLink, link);
    return link;
  }

  /** Each link that is not revoked, and each quiz whose code was shown, has one of 480 million codes. */
  private async freeCode(tx: EntityManager): Promise<string> {
    for (;;) {
      const code = newCode();
      if (!(await tx.existsBy(QuizLink, { code }))) return code;
    }
  }
}

/** @throws Invalid */
function requireFuture(closesAt: Date | null, now: Date): void {
  if (closesAt && closesAt <= now)
    throw new Invalid('The body', [
      { path: 'closesAt', message: 'closesAt must be in the future', code: 'past' },
    ]);
}
