import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../../../access/accounts/account.entity';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { mayWrite } from '../../../access/accounts/plan.rules';
import type { Actor } from '../../../access/audit/actor';
import { BatchImportService } from '../../../authoring/questions/batch-import.service';
import { QuizAuthoringService } from '../../../authoring/quizzes/quiz-authoring.service';
import { CreateQuizRequest } from '../../../authoring/quizzes/quizzes.dto';
import { Quiz } from '../../../catalog/quizzes/quiz.entity';
import { DomainEvents } from '../../../events/domain-events';
import { Clock } from '../../../platform/clock';
import { DomainError, Forbidden, PlanRequired } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { LIMITS } from '../../../platform/limits/limits';
import type { FormatName } from '../../formats/formats';
import { Import } from '../import.entity';
import { endImport, noteStop, type RunningImport, whileRunning } from '../import.queries';
import { partTitle, WHAT_IS_LEFT } from '../import.rules';
import { recordLeftOut, recordQuiz } from '../import-report.queries';
import type { GroupQuiz } from './file-rows';
import { alreadyIn } from './staging';
import {
  findGroupsOf,
  type Group,
  noteGroup,
  type StagedQuestion,
  takeStaged,
} from './staging.queries';
import { withStoredPictures } from './stored-pictures';

/** Rows, or bytes, per transaction. */
const [CHUNK, CHUNK_BYTES] = [200, 4_000_000];

/** The second half of an import: turns staged questions into quizzes, with the services and rules of the API. */
@Injectable()
export class ImportWriteService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Writes the next questions, or ends the import if there are none or the account has reached its limit. Questions
   * leave `import_questions` in the transaction that creates them: a kill at any time loses none and repeats none.
   * @param format that the file was found to have; an archive does not end here, since its results follow
   * @returns how many were taken; 0 if the import has ended, or nothing is left
   * @throws NotRunning
   */
  writeChunk(job: RunningImport, format: FormatName | null = null): Promise<number> {
    const isArchive = format === 'archive';
    const now = this.clock.now();
    return whileRunning(this.database, job, now, async (tx) => {
      // Locked before the row is written again: that shares the account's lock, and two that share it wait for each
      // other.
      const account = await this.accounts.lock(tx, job.accountId);
      const taken = await takeStaged(tx, job.id, CHUNK, CHUNK_BYTES);
      const rows = isArchive ? await withStoredPictures(tx, job.accountId, taken) : taken;
      // Not without progress: the results of an archive, which follow, may fail each time.
      if (rows.length > 0) await tx.update(Import, { id: job.id }, { tries: 0 });
      else {
        if (!isArchive) await endImport(this.events, tx, job.id, now, 'completed');
        return 0;
      }
      const stopped = await this.write(tx, job, rows, account, isArchive);
      if (!stopped) return rows.length;
      if (isArchive) await noteStop(tx, job.id, stopped.message);
      else
        await endImport(this.events, tx, job.id, now, 'stopped', {
          error: `${stopped.message} ${WHAT_IS_LEFT}`,
        });
      return 0;
    });
  }

  /** @returns why it must not continue; what was written before stays */
  private async write(
    tx: EntityManager,
    job: RunningImport,
    rows: StagedQuestion[],
    account: Account,
    isArchive: boolean,
  ): Promise<DomainError | null> {
    // Checked again under the account's lock: the same questions may have been added meanwhile.
    const prints = isArchive ? [] : rows.map((row) => row.fingerprint);
    const known = await this.batches.findKnown(tx, job.accountId, prints);
    const importable = rows.filter((row) => !known.has(row.fingerprint));
    if (importable.length < rows.length)
      await recordLeftOut(
        tx,
        job.id,
        'duplicate',
        rows.flatMap((row) => {
          const title = known.get(row.fingerprint);
          return title === undefined ? [] : [{ ...row, message: alreadyIn(title) }];
        }),
      );
    if (importable.length === 0) return null;
    try {
      requireMayImport(account);
      if (job.quizId) {
        await this.append(tx, job, job.quizId, importable);
      } else await this.writeQuizzes(tx, job, importable);
      return null;
    } catch (error) {
      // Limits are checked before anything is written, so the transaction stays valid.
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  private async writeQuizzes(
    tx: EntityManager,
    job: RunningImport,
    rows: StagedQuestion[],
  ): Promise<void> {
    const keys = [...new Set(rows.map(({ group_key }) => group_key))];
    const groups = await findGroupsOf(tx, job.id, keys);
    for (const group of groups) {
      const mine = rows.filter((row) => row.group_key === group.key);
      // A whole quiz stays one quiz up to the largest size; then it continues in another with the same title.
      const size = group.quiz.title ? LIMITS.content.questionsPerQuiz.value : job.quizSize;
      if (group.quiz_id && !(await tx.existsBy(Quiz, { id: group.quiz_id })))
        await this.leaveOut(tx, job, group, mine.splice(0, size - group.quiz_size));
      while (mine.length > 0) {
        // A savepoint: a new quiz for whose questions there is no room does not stay without them.
        await tx.transaction(async (part) => {
          if (!group.quiz_id || group.quiz_size >= size) {
            group.quiz_id = await this.createQuiz(part, job, group);
            group.quiz_size = 0;
          }
          const batch = mine.splice(0, size - group.quiz_size);
          await this.append(part, job, group.quiz_id, batch);
          group.quiz_size += batch.length;
          await noteGroup(part, job.id, group, batch.length);
        });
      }
    }
  }

  /** The rest of a quiz that its owner has deleted since the chunk before: the account is locked now. */
  private async leaveOut(
    tx: EntityManager,
    job: RunningImport,
    group: Group,
    rows: readonly StagedQuestion[],
  ): Promise<void> {
    group.quiz_size += rows.length;
    await noteGroup(tx, job.id, group, 0);
    const message = QUIZ_DELETED;
    const leftOut = rows.map((row) => ({ ...row, message }));
    await recordLeftOut(tx, job.id, 'error', leftOut);
  }

  private async createQuiz(
    tx: EntityManager,
    job: RunningImport,
    { quiz: { name, ...quiz }, rows }: Pick<Group, 'quiz' | 'rows'>,
  ): Promise<string> {
    const isWhole = rows <= job.quizSize;
    const title =
      quiz.title ?? (await this.partTitle(tx, job.accountId, quiz.category, name, isWhole));
    // That of an archive is published with its results: players would add theirs beside them.
    const published = !quiz.kept && isPublished(job, quiz);
    return (await this.createIn(tx, job, { ...quiz, title }, published)).id;
  }

  /** A new quiz of the import. @throws DomainError */
  async createIn(
    tx: EntityManager,
    job: RunningImport,
    { kept, ...quiz }: GroupQuiz,
    published = isPublished(job, { kept }),
  ): Promise<{ id: string }> {
    const { id, difficulty } = job;
    const request = readBody(CreateQuizRequest, {
      difficulty,
      ...quiz,
      published,
      featured: kept?.featured ?? false,
    });
    const created = await this.quizzes.createIn(tx, actorOf(job), request, {
      writtenBy: kept?.writtenBy ?? null,
      ...(kept?.slug !== undefined && { slug: kept.slug }),
      ...(kept?.createdAt !== undefined && { createdAt: new Date(kept.createdAt) }),
    });
    await tx.increment(Import, { id }, 'quizzes', 1);
    return created;
  }

  /** Publishes a quiz of an archive that was published, in the transaction with its last results. @throws DomainError */
  async publishIn(
    tx: EntityManager,
    job: RunningImport,
    quizId: string,
    quiz: GroupQuiz,
  ): Promise<void> {
    if (!isPublished(job, quiz)) return;
    await this.quizzes.edit(actorOf(job), { quizId, status: { published: true } }, tx);
  }

  private async append(
    tx: EntityManager,
    job: RunningImport,
    quizId: string,
    rows: StagedQuestion[],
  ): Promise<void> {
    const questions = rows.map(({ question }) => question);
    const added = await this.batches.importIn(tx, actorOf(job), quizId, questions);
    const ids = job.quizId ? added.map(({ id }) => id) : [];
    const place = { number: rows[0]?.number ?? 0, questions: rows.length, ids };
    await recordQuiz(tx, job.id, quizId, place);
    await tx.increment(Import, { id: job.id }, 'imported', rows.length);
  }

  private async partTitle(
    tx: EntityManager,
    accountId: string,
    category: string | undefined,
    name: string | undefined,
    isWhole: boolean,
  ): Promise<string> {
    const earlier =
      category && !name
        ? await this.batches.countInCategory(tx, accountId, category)
        : await this.batches.countParts(tx, accountId, partTitle(name));
    return partTitle(name ?? category, earlier === 0 && isWhole ? undefined : earlier + 1);
  }
}

const QUIZ_DELETED =
  'The quiz of this question was deleted while the import ran: import the file again to get the question.';

const actorOf = ({ accountId, scopes }: RunningImport): Actor => ({
  accountId,
  scopes: scopes ?? undefined,
});

const isPublished = ({ published }: RunningImport, { kept }: Pick<GroupQuiz, 'kept'>): boolean =>
  published && (kept?.published ?? true);

/** @throws Forbidden, PlanRequired */
export function requireMayImport(account: Account): void {
  if (account.deletedAt) throw new Forbidden('The account was deleted.');
  if (account.disabledAt) throw new Forbidden('The account is disabled.');
  if (!mayWrite(account))
    throw new PlanRequired('A Starter or Pro plan is needed to import questions.');
}
