import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { AuditLog } from '../../../access/accounts/audit-log';
import { ReviewService } from '../../../authoring/review/review.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import type { Approval } from '../../../catalog/vocabulary';
import { NotFound } from '../../../platform/errors/domain-errors';
import { pageOf } from '../../components/table';
import { fieldError, Form } from '../../http/form';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { QUESTIONS_PER_PAGE } from '../quizzes/quiz.page';
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
  ) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const quiz = query('quiz');
    const found = quiz && (await this.review.find(quiz));
    if (found) return redirect(`${AT}/${found}`);
    const unknown = fieldError('quiz', 'No published quiz has this URL or id', 'unknown');
    const form = quiz ? new Form({ quiz }).refusedBy(unknown) : new Form();
    const page = pageOf(query('page'), PER_PAGE);
    const { quizzes, waiting } = await this.review.waiting(page);
    const changed = await this.review.changed(CHANGED_SHOWN);
    return <ReviewQueuePage {...{ quizzes, waiting, changed, page, form }} />;
  }

  @Get(':id')
  async show(@Asked() { id, query, form }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), QUESTIONS_PER_PAGE);
    const quiz = await this.owned.getPublished(id, page);
    const [owner, { waiting }, entries, { version, since }] = await Promise.all([
      this.accounts.get(quiz.ownerId),
      this.review.waiting({ limit: 1, offset: 0 }),
      this.audit.about(quiz.id, 10),
      this.review.changesOf(quiz.id),
    ]);
    return <ReviewPage {...{ quiz, page, owner, waiting, entries, version, since, form }} />;
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
