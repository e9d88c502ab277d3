import { Injectable } from '@nestjs/common';
import { InjectEntityManager, InjectRepository } from '@nestjs/typeorm';
import { EntityManager, IsNull, Repository } from 'typeorm';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { OwnedQuizzesService } from '../../catalog/quizzes/owned-quizzes.service';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import { HOUR, MINUTE } from '../../platform/durations';
import { Conflict, Invalid, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { Scheduled } from '../../platform/queue/scheduled';
import { isId, newId } from '../../platform/text/ids';
import { codePoints, isStorable, tidy } from '../../platform/text/text.rules';
import { playerOf } from '../attempts/visitor.rules';
import { type FlagKind, versionOf } from './item-analysis.rules';
import { QuestionReport } from './question-report.entity';
import {
  countOpenReports,
  deleteFormerSums,
  findQuizzesToAnalyse,
  findQuizzesToCheck,
  type QuizToCheck,
  replaceFlags,
  saveReport,
} from './reports.queries';
import { REPORT_REASONS, type ReportReason } from './reports.rules';
import { ResultsService, type ResultsViewer } from './results.service';

const { openReports, reportCharacters } = LIMITS.content;
/** A wrong key is a notice soon after the lesson. */
const EVERY = 10 * MINUTE;
/** Longer than the time between two runs, so that a run that fails loses nothing. */
const ANALYSED = 2 * HOUR;

/** What players report about questions, and what the item analysis found, for authors and reviewers. */
@Injectable()
export class ReportsService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    @InjectRepository(QuestionReport) private readonly reports: Repository<QuestionReport>,
    private readonly results: ResultsService,
    private readonly limits: AttemptLimits,
    private readonly owned: OwnedQuizzesService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * A visitor's report of a question whose answer they have seen. A second one replaces the first.
   * @param by the visitor's token and address
   * @throws Invalid, TooManyAttempts; Conflict while the quiz has too many
   */
  async report(
    quizId: string,
    questionId: string,
    by: { token: string; address: string },
    submitted: { reason: string; text: string },
  ): Promise<void> {
    const { reason, text } = readReport(submitted);
    await this.limits.take('reportByVisitor', { device: by.token });
    await this.limits.take('reportByAddress', { address: by.address });
    const key = { quizId, questionId, reporter: playerOf(by.token, quizId, '') };
    const { ownerId } = await this.results.quiz(null, quizId);
    await this.database.transaction(async (tx) => {
      // The lock makes concurrent reports count each other, and find each other's notice.
      const { title } = await this.owned.lock(tx, ownerId, quizId);
      const open = [...(await countOpenReports(tx, quizId)).values()];
      const isFull = open.reduce((sum, number) => sum + number, 0) >= openReports.value;
      // A report that replaces one adds none.
      if (isFull && !(await tx.existsBy(QuestionReport, key)))
        throw new Conflict(
          'The author of this quiz already has many reports to read. Try again another day.',
        );
      const questions = await this.owned.questions(tx, quizId);
      const question = questions.find(({ id }) => id === questionId);
      // Deleted since the attempt began: nothing is to be done.
      if (!question) return;
      const createdAt = this.clock.now();
      if (!(await saveReport(tx, { id: newId(), ...key, reason, text, createdAt }))) return;
      const data = { quizId, title, position: question.position, reason: REPORT_REASONS[reason] };
      await this.events.emit(tx, 'question.reported', ownerId, data);
    });
  }

  /** Open reports of a quiz, the oldest first. @throws NotFound, Forbidden */
  async open(viewer: ResultsViewer, quizId: string): Promise<QuestionReport[]> {
    const quiz = await this.results.quiz(viewer, quizId);
    const where = { quizId: quiz.id, closedAt: IsNull() };
    return this.reports.find({ where, order: { id: 'ASC' } });
  }

  /** Can be repeated. @throws NotFound, Forbidden */
  async close(viewer: ResultsViewer, quizId: string, reportId: string): Promise<void> {
    const quiz = await this.results.quiz(viewer, quizId);
    if (!isId(reportId)) return;
    const open = { id: reportId, quizId: quiz.id, closedAt: IsNull() };
    await this.reports.update(open, { closedAt: this.clock.now() });
  }

  /** Published quizzes with flags or open reports, for the reviewer. */
  toCheck(limit: number): Promise<QuizToCheck[]> {
    return findQuizzesToCheck(this.database, limit);
  }

  /** Finds the flags of quizzes that were played or have flags. @returns how many quizzes */
  @Scheduled({ name: 'analysis of played questions', every: EVERY })
  async analyseQuizzes(): Promise<number> {
    const quizzes = await findQuizzesToAnalyse(this.database, this.clock.cutoff(ANALYSED));
    const failed: unknown[] = [];
    for (const id of quizzes)
      await this.analyse(id).catch((error: unknown) => {
        // Deleted since the list was read.
        if (!(error instanceof NotFound)) failed.push(error);
      });
    // The others are done: one quiz that always fails must not keep the flags of all of them as they are.
    if (failed.length > 0) throw new AggregateError(failed, 'Some quizzes could not be analysed');
    return quizzes.length;
  }

  private async analyse(id: string): Promise<void> {
    const { quiz, questions, keyWarnings } = await this.results.analysis(id);
    const flags = questions.flatMap(({ question, flags, checkKey }) => {
      const kinds = new Set<FlagKind>(flags.map(({ kind }) => kind));
      if (checkKey) kinds.add('key');
      return [...kinds].map((kind) => ({ questionId: question.id, kind }));
    });
    await this.database.transaction(async (tx) => {
      // No edit adds versions meanwhile, whose sums would be deleted as former ones.
      await this.owned.lock(tx, quiz.ownerId, id);
      const added = await replaceFlags(tx, id, flags);
      // The analysis may have read a replica that lacked the last edit. This reads the primary.
      const present = await this.owned.questions(tx, id);
      await deleteFormerSums(tx, id, present.map(versionOf));
      for (const { questionId, ...warning } of keyWarnings)
        if (added.some((flag) => flag.kind === 'key' && flag.questionId === questionId))
          await this.events.emit(tx, 'question.doubted', quiz.ownerId, {
            ...warning,
            title: quiz.title,
          });
    });
  }
}

/** @throws Invalid */
function readReport(submitted: { reason: string; text: string }) {
  const text = tidy(submitted.text);
  const invalid = (path: string, message: string) =>
    new Invalid('The report', [{ path, message, code: path }]);
  if (!Object.hasOwn(REPORT_REASONS, submitted.reason)) throw invalid('reason', 'Choose a reason');
  if (!isStorable(text) || codePoints(text) > reportCharacters.value)
    throw invalid('text', `Use at most ${reportCharacters.value} characters`);
  return { reason: submitted.reason as ReportReason, text };
}
