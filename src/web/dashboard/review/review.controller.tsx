import { Get, Param, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { AuditLog } from '../../../access/accounts/audit-log';
import { ReviewQueueService } from '../../../authoring/review/review-queue.service';
import type { Approval } from '../../../catalog/vocabulary';
import { Invalid, NotFound } from '../../../platform/errors/domain-errors';
import { pageOf } from '../../components/pager';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { QUESTIONS_PER_PAGE } from '../quizzes/question-list';
import { attempt, Form, PostedForm } from '../../http/form';
import { AdministratorPages, QueryText } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { ReviewQueuePage } from './review-queue.page';
import { ReviewPage } from './review.page';

const AT = '/dashboard/admin/review';
const PER_PAGE = 25;
const CHANGED_SHOWN = 25;

@AdministratorPages('review')
export class ReviewController {
  constructor(
    private readonly queue: ReviewQueueService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  async list(
    @QueryText('page') number: string,
    @QueryText('quiz') quiz: string,
  ): Promise<PageResult> {
    const found = quiz && (await this.queue.find(quiz));
    if (found) return redirect(`${AT}/${found}`);
    const page = pageOf(number, PER_PAGE);
    const looked = quiz
      ? new Form({ quiz }, [
          { path: 'quiz', message: 'No published quiz has this address', code: 'unknown' },
        ])
      : new Form();
    const changed = await this.queue.changed(CHANGED_SHOWN);
    return (
      <ReviewQueuePage
        {...await this.queue.list(page)}
        changed={changed}
        page={page}
        form={looked}
      />
    );
  }

  @Get(':id')
  show(@Param('id') id: string, @QueryText('page') number: string): Promise<PageResult> {
    return this.page(id, new Form(), number);
  }

  /** Leaves this quiz waiting, and goes on. */
  @Get(':id/next')
  async skip(@Param('id') id: string): Promise<PageResult> {
    const known = await this.queue.find(id);
    if (known === null) throw new NotFound('Quiz');
    return this.onward(known);
  }

  @Post(':id/verdict')
  async decide(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const approved = form.text('verdict') === 'approve';
    const decided = await attempt(form, async () => {
      if (!approved && form.text('verdict') !== 'reject')
        throw new Invalid('The form', [
          { path: '', message: 'Approve the quiz or reject it', code: 'choice' },
        ]);
      const verdict = approved
        ? { approved }
        : { approved, reason: readReason(form.text('reason')) };
      const seen = form.text('seen') as Approval;
      return this.queue.decide(viewer, id, seen, verdict, form.text('version') || undefined);
    });
    if (decided instanceof Form) return invalid(decided, await this.page(id, decided));
    return this.onward(
      decided.id,
      approved
        ? `“${decided.title}” is approved: everybody sees it.`
        : `“${decided.title}” is rejected. Its owner sees the reason.`,
    );
  }

  /** To the next quiz that waits, else to the empty queue. */
  private async onward(from: string, notice?: string): Promise<PageResult> {
    const next = await this.queue.next(from);
    return redirect(next ? `${AT}/${next}` : AT, notice);
  }

  private async page(id: string, form: Form, number = '1') {
    const page = pageOf(number, QUESTIONS_PER_PAGE);
    const quiz = await this.queue.get(id, page);
    const [owner, { waiting }, entries, { version, since }] = await Promise.all([
      this.accounts.get(quiz.ownerId),
      this.queue.list({ limit: 1, offset: 0 }),
      this.audit.about(quiz.id, 10),
      this.queue.changesOf(quiz.id),
    ]);
    return <ReviewPage {...{ quiz, page, owner, waiting, entries, version, since, form }} />;
  }
}

/** An empty reason is the commonest error, and has a sentence of its own. */
function readReason(reason: string): string {
  if (reason.trim() !== '') return reason;
  throw new Invalid('The form', [
    { path: 'reason', message: 'Say what its owner should change', code: 'required' },
  ]);
}
