import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { AuditLog } from '../../../access/audit/audit-log';
import { QuizBulkService } from '../../../authoring/quizzes/quiz-bulk.service';
import type { QuizChange } from '../../../authoring/review/quiz-changes.rules';
import { ReviewService } from '../../../authoring/review/review.service';
import { ReviewQueueService } from '../../../authoring/review/review-queue.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import type { Quiz } from '../../../catalog/quizzes/quiz.entity';
import { RenderingService } from '../../../catalog/rendering/rendering.service';
import type { Approval } from '../../../catalog/vocabulary';
import { NotFound } from '../../../platform/errors/domain-errors';
import type { QuizToCheck } from '../../../play/results/reports.queries';
import { ReportsService } from '../../../play/results/reports.service';
import { TextsOfPage } from '../../components/author-text';
import { BulkForm, SelectAll } from '../../components/bulk';
import { LinkButton } from '../../components/button';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Section } from '../../components/section';
import { EmptyState, type PageOf, pageOf, Pager, Table } from '../../components/table';
import { fieldError, type Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect, redirectRefused } from '../../http/page-results';
import { QUESTIONS_PER_PAGE } from '../quizzes/quiz.page';
import { afterBulk, QuizTitle, SelectableTitle } from '../quizzes/quiz-parts';
import { CHANGES_SHOWN, ReviewPage } from './review.page';

const AT = '/dashboard/admin/review';
const PER_PAGE = 25;
const CHANGED_SHOWN = 25;

@AdministratorPages('review')
export class ReviewController {
  constructor(
    private readonly queue: ReviewQueueService,
    private readonly review: ReviewService,
    private readonly owned: OwnedQuizzesService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditLog,
    private readonly reports: ReportsService,
    private readonly bulk: QuizBulkService,
    private readonly rendering: RenderingService,
  ) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), PER_PAGE);
    const { quizzes, versions, waiting } = await this.queue.waitingToDecide(page);
    // Those of this page were decided meanwhile, and an empty one says that nothing waits.
    if (quizzes.length === 0 && page.number > 1) return redirect(AT);
    const changed = await this.review.changed(CHANGED_SHOWN);
    const toCheck = await this.reports.toCheck(CHANGED_SHOWN);
    return <ReviewQueuePage {...{ quizzes, versions, waiting, changed, toCheck, page }} />;
  }

  /** Approves the quizzes that are ticked in the queue. */
  @Post()
  async approve(@Asked() { viewer, form, messages }: PageRequest): Promise<PageResult> {
    const ticked = form.all('quiz').slice(0, PER_PAGE);
    if (ticked.length === 0) return redirectRefused(AT, messages.t('quizzes.selectFirst'));
    const listed = ticked.map((value) => {
      const [id = '', version = ''] = value.split(':');
      return { id, version };
    });
    const { done, refused } = await this.bulk.approve(viewer, listed);
    return afterBulk(AT, 'approve', done, refused, messages);
  }

  @Get(':id')
  async show(@Asked() { id, query, form }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), QUESTIONS_PER_PAGE);
    // Before the content: an edit in between makes the decision a conflict. The other order would approve it unseen.
    const { version, since } = await this.review.changesOf(id);
    const quiz = await this.owned.getPublished(id, page);
    const [owner, owned, waiting, entries] = await Promise.all([
      this.accounts.get(quiz.ownerId),
      this.owned.countByState(quiz.ownerId),
      this.queue.countWaiting(),
      this.audit.about(quiz.id, 10),
    ]);
    // From the page before of the same quiz, or with a form that is refused. The conflict says it itself.
    const known = query('version') || form.text('version');
    const wasChanged = !['', version].includes(known) && form.status !== 409;
    const reviewed = { quiz, page, owner, owned, waiting, entries, version, wasChanged, since };
    const texts = await this.rendering.forPage([
      ...questionsIn(since?.changes.slice(0, CHANGES_SHOWN) ?? []),
      ...quiz.questions,
    ]);
    return (
      <TextsOfPage.Provider value={texts}>
        <ReviewPage {...reviewed} form={form} />
      </TextsOfPage.Provider>
    );
  }

  /** Leaves this quiz pending, and continues with the next. */
  @Get(':id/next')
  async skip(@Asked() { id }: PageRequest): Promise<PageResult> {
    const known = await this.queue.find(id);
    if (known === null) throw new NotFound('Quiz');
    return this.onward(known);
  }

  @Post(':id/verdict')
  @OnRefusal('show')
  async decide(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    const verdict = readVerdict(form);
    const seen = form.text('seen') as Approval;
    const version = form.text('version') || undefined;
    const decided = await this.review.decide(viewer, id, seen, verdict, version);
    const { title, approval } = decided;
    const rejected = approval === 'approved' ? 'review.changesRejected' : 'review.isRejected';
    return this.onward(decided.id, t(verdict.approved ? 'review.isApproved' : rejected, { title }));
  }

  /** To the next quiz that waits, else to the empty queue. */
  private async onward(from: string, notice?: string): Promise<PageResult> {
    const next = await this.queue.next(from);
    return redirect(next ? `${AT}/${next}` : AT, notice);
  }
}

/** The questions that changes show. */
const questionsIn = (changes: readonly QuizChange[]) =>
  changes
    .flatMap(({ before, after }) => [before, after])
    .filter((it) => it !== null && typeof it !== 'string');

/** @throws Invalid; an empty reason is the most common error, and has its own message */
function readVerdict(form: Form) {
  if (form.text('verdict') === 'approve') return { approved: true as const };
  if (form.text('verdict') !== 'reject') throw fieldError('', 'Approve the quiz or reject it');
  const reason = form.text('reason');
  if (reason.trim() === '')
    throw fieldError('reason', 'Say what its owner should change', 'required');
  return { approved: false as const, reason };
}

/** Which assistant wrote or edited the quiz. */
function WrittenBy({ writtenBy }: Quiz) {
  const { t } = useMessages();
  return writtenBy ? <Clip text={writtenBy} /> : <span class="muted">{t('review.owner')}</span>;
}

function ReviewQueuePage({
  quizzes,
  versions,
  waiting,
  changed,
  toCheck,
  page,
}: {
  quizzes: Quiz[];
  /** By id. A box has that of its quiz: what is edited afterwards is not approved with the others. */
  versions: ReadonlyMap<string, string>;
  waiting: number;
  /** Live quizzes that were edited after their approval. */
  changed: { quizzes: Quiz[]; total: number };
  /** Quizzes with questions that players report, or whose results are odd. */
  toCheck: QuizToCheck[];
  page: PageOf;
}) {
  const { t } = useMessages();
  const [first] = quizzes;
  const shown = changed.quizzes.length;
  return (
    <Page
      title={t('nav.review')}
      help={t('review.help')}
      action={
        first &&
        page.number === 1 && (
          <LinkButton look="primary" href={`${AT}/${first.id}`} text={t('review.start')} />
        )
      }
    >
      <Table
        label={t('review.waiting')}
        rows={quizzes}
        columns={[
          [
            t('field.title'),
            (quiz) => (
              <SelectableTitle quiz={quiz} at={AT} value={`${quiz.id}:${versions.get(quiz.id)}`} />
            ),
          ],
          [
            t('review.before'),
            ({ rejectionReason }) =>
              rejectionReason ? (
                <Badge variant="busy">{t('review.rejectedBefore')}</Badge>
              ) : (
                <span class="muted">{t('review.new')}</span>
              ),
          ],
          [t('review.writtenBy'), (quiz) => <WrittenBy {...quiz} />],
          [t('nav.questions'), ({ questionCount }) => questionCount],
          [t('list.created'), ({ createdAt }) => <Time at={createdAt} />],
        ]}
        empty={<EmptyState title={t('review.none')} text={t('review.noneText')} />}
      />
      {first && (
        <BulkForm action={AT} class="bulk toolbar">
          <SelectAll name="quiz" />
          <button class="btn" data-variant="outline" data-size="sm">
            {t('review.approveSelected')}
          </button>
        </BulkForm>
      )}
      <Pager page={page} total={waiting} at={AT} />
      {changed.total > 0 && (
        <Section
          title={t('review.changed')}
          help={t(changed.total > shown ? 'review.changedSome' : 'review.changedHelp', {
            shown,
            total: changed.total,
          })}
        >
          <Table
            label={t('review.changedLabel')}
            rows={changed.quizzes}
            columns={[
              [t('field.title'), (quiz) => <QuizTitle quiz={quiz} at={AT} />],
              [t('review.writtenBy'), (quiz) => <WrittenBy {...quiz} />],
              [
                t('review.firstChange'),
                ({ changedSinceApprovalAt }) => <Time at={changedSinceApprovalAt} />,
              ],
            ]}
          />
        </Section>
      )}
      {toCheck.length > 0 && (
        <Section title={t('review.toCheck')} help={t('review.toCheckHelp')}>
          <Table
            label={t('review.toCheckLabel')}
            rows={toCheck}
            columns={[
              [
                t('field.title'),
                ({ id, title }) => <Clip text={title} href={`/dashboard/quizzes/${id}/results`} />,
              ],
              [t('review.flagged'), ({ flags }) => flags],
              [t('review.reports'), ({ reports }) => reports],
            ]}
          />
        </Section>
      )}
    </Page>
  );
}
