import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { AuditLog } from '../../../access/accounts/audit-log';
import { QuizBulkService } from '../../../authoring/quizzes/quiz-bulk.service';
import { ReviewService } from '../../../authoring/review/review.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import type { Approval } from '../../../catalog/vocabulary';
import { ReportsService } from '../../../play/results/reports.service';
import { NotFound } from '../../../platform/errors/domain-errors';
import { pageOf } from '../../components/table';
import { fieldError, type Form } from '../../http/form';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { QUESTIONS_PER_PAGE } from '../quizzes/quiz.page';
import { bulkNotice } from '../quizzes/quiz-list.page';
import { ReviewQueuePage } from './review-queue.page';
import { ReviewPage } from './review.page';

const AT = '/dashboard/admin/review';
const PER_PAGE = 25;
const CHANGED_SHOWN = 25;

@AdministratorPages('review')
export class ReviewController {
  constructor(
    private readonly review: ReviewService,
    private readonly owned: OwnedQuizzesService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditLog,
    private readonly reports: ReportsService,
    private readonly bulk: QuizBulkService,
  ) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), PER_PAGE);
    const { quizzes, waiting } = await this.review.waiting(page);
    const changed = await this.review.changed(CHANGED_SHOWN);
    const toCheck = await this.reports.toCheck(CHANGED_SHOWN);
    return <ReviewQueuePage {...{ quizzes, waiting, changed, toCheck, page }} />;
  }

  /** Approves the quizzes that are ticked in the queue. */
  @Post()
  async approve(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    const ids = form.all('quiz').slice(0, PER_PAGE);
    if (ids.length === 0) return redirect(AT, 'Select quizzes first.');
    const { done, refused } = await this.bulk.approve(viewer, ids);
    return redirect(AT, bulkNotice('approve', done, refused));
  }

  @Get(':id')
  async show(@Asked() { id, query, form }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), QUESTIONS_PER_PAGE);
    const quiz = await this.owned.getPublished(id, page);
    const [owner, owned, waiting, entries, { version, since }] = await Promise.all([
      this.accounts.get(quiz.ownerId),
      this.owned.countByState(quiz.ownerId),
      this.review.countWaiting(),
      this.audit.about(quiz.id, 10),
      this.review.changesOf(quiz.id),
    ]);
    return <ReviewPage {...{ quiz, page, owner, owned, waiting, entries, version, since, form }} />;
  }

  /** Leaves this quiz pending, and continues with the next. */
  @Get(':id/next')
  async skip(@Asked() { id }: PageRequest): Promise<PageResult> {
    const known = await this.review.find(id);
    if (known === null) throw new NotFound('Quiz');
    return this.onward(known);
  }

  @Post(':id/verdict')
  @OnRefusal('show')
  async decide(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const verdict = readVerdict(form);
    const seen = form.text('seen') as Approval;
    const version = form.text('version') || undefined;
    const decided = await this.review.decide(viewer, id, seen, verdict, version);
    return this.onward(
      decided.id,
      verdict.approved
        ? `“${decided.title}” is approved: everybody sees it.`
        : decided.approval === 'approved'
          ? `The changes of “${decided.title}” are rejected. Its owner sees the reason.`
          : `“${decided.title}” is rejected. Its owner sees the reason.`,
    );
  }

  /** To the next quiz that waits, else to the empty queue. */
  private async onward(from: string, notice?: string): Promise<PageResult> {
    const next = await this.review.next(from);
    return redirect(next ? `${AT}/${next}` : AT, notice);
  }
}

/** @throws Invalid; an empty reason is the most common error, and has its own message */
function readVerdict(form: Form) {
  if (form.text('verdict') === 'approve') return { approved: true as const };
  if (form.text('verdict') !== 'reject') throw fieldError('', 'Approve the quiz or reject it');
  const reason = form.text('reason');
  if (reason.trim() === '')
    throw fieldError('reason', 'Say what its owner should change', 'required');
  return { approved: false as const, reason };
}
