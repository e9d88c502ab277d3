import type { QuizToCheck } from '../../../play/results/reports.queries';
import type { Quiz } from '../../../catalog/quizzes/quiz.entity';
import { LinkButton } from '../../components/button';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Section } from '../../components/section';
import { EmptyState, Pager, Table, type PageOf } from '../../components/table';
import { QuizTitle } from '../quizzes/quiz-labels';
import { SelectableTitle, SelectAll } from '../quizzes/quiz-list.page';

const AT = '/dashboard/admin/review';

/** Which assistant wrote or edited the quiz. */
const WrittenBy = ({ writtenBy }: Quiz) =>
  writtenBy ? <Clip text={writtenBy} /> : <span class="muted">its owner</span>;

export function ReviewQueuePage({
  quizzes,
  waiting,
  changed,
  toCheck,
  page,
}: {
  quizzes: Quiz[];
  waiting: number;
  /** Live quizzes that were edited after their approval. */
  changed: { quizzes: Quiz[]; total: number };
  /** Quizzes with questions that players report, or whose results are odd. */
  toCheck: QuizToCheck[];
  page: PageOf;
}) {
  const [first] = quizzes;
  const shown = changed.quizzes.length;
  return (
    <Page
      title="Review"
      help="Published quizzes that wait to be approved, the oldest first."
      action={
        first &&
        page.number === 1 && (
          <LinkButton look="primary" href={`${AT}/${first.id}`} text="Start with the oldest" />
        )
      }
    >
      <Table
        label="Quizzes waiting for review"
        rows={quizzes}
        columns={{
          Title: (quiz) => <SelectableTitle quiz={quiz} at={AT} />,
          Before: ({ rejectionReason }) =>
            rejectionReason ? (
              <Badge variant="busy">rejected before</Badge>
            ) : (
              <span class="muted">new</span>
            ),
          'Written by': WrittenBy,
          Questions: ({ questionCount }) => questionCount,
          Created: ({ createdAt }) => <Time at={createdAt} />,
        }}
        empty={
          <EmptyState title="Nothing waits for review">
            <p>A quiz comes here when its owner publishes it.</p>
          </EmptyState>
        }
      />
      {first && (
        <form id="bulk" method="post" action={AT} class="bulk toolbar">
          <SelectAll />
          <button class="btn" data-variant="outline" data-size="sm">
            Approve the selected quizzes
          </button>
        </form>
      )}
      <Pager page={page} total={waiting} at={AT} />
      {changed.total > 0 && (
        <Section
          title="Changed since approval"
          help={`Live quizzes that their authors edited after the review, the oldest edit first${changed.total > shown ? ` (${shown} of ${changed.total.toLocaleString('en')})` : ''}.`}
        >
          <Table
            label="Quizzes changed since approval"
            rows={changed.quizzes}
            columns={{
              Title: (quiz) => <QuizTitle quiz={quiz} at={AT} />,
              'Written by': WrittenBy,
              'First change': ({ changedSinceApprovalAt }) => <Time at={changedSinceApprovalAt} />,
            }}
          />
        </Section>
      )}
      {toCheck.length > 0 && (
        <Section
          title="Questions to check"
          help="Published quizzes with questions that players report, or at which good players choose another answer."
        >
          <Table
            label="Quizzes with questions to check"
            rows={toCheck}
            columns={{
              Title: ({ id, title }) => (
                <Clip text={title} href={`/dashboard/quizzes/${id}/results`} />
              ),
              'Flagged questions': ({ flags }) => flags,
              'Open reports': ({ reports }) => reports,
            }}
          />
        </Section>
      )}
    </Page>
  );
}
