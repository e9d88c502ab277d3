import type { Quiz } from '../../../catalog/quizzes/quiz.entity';
import { LinkButton } from '../../components/button';
import { FormScope, TextField } from '../../components/fields';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge, Section } from '../../components/section';
import { EmptyState, Pager, Table, type PageOf } from '../../components/table';
import type { Form } from '../../http/form';
import { QuizTitle } from '../quizzes/quiz-labels';

const AT = '/dashboard/admin/review';

export function ReviewQueuePage({
  quizzes,
  waiting,
  changed,
  page,
  form,
}: {
  quizzes: Quiz[];
  waiting: number;
  /** Live quizzes that were edited after their approval. */
  changed: { quizzes: Quiz[]; total: number };
  page: PageOf;
  /** The search for a published quiz. */
  form: Form;
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
          Title: (quiz) => <QuizTitle quiz={quiz} at={AT} />,
          Before: ({ rejectionReason }) =>
            rejectionReason ? (
              <Badge variant="busy">rejected before</Badge>
            ) : (
              <span class="muted">new</span>
            ),
          Questions: ({ questionCount }) => questionCount,
          Created: ({ createdAt }) => <Time at={createdAt} />,
        }}
        empty={
          <EmptyState title="Nothing waits for review">
            <p>A quiz comes here when its owner publishes it.</p>
          </EmptyState>
        }
      />
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
              'First change': ({ changedSinceApprovalAt }) => <Time at={changedSinceApprovalAt} />,
            }}
          />
        </Section>
      )}
      <Section title="A quiz that is live" help="Change a decision or moderate the leaderboard.">
        <form method="get" action={AT} class="form form-row">
          <FormScope form={form}>
            <TextField
              name="quiz"
              label="Address or id"
              placeholder="/play/rivers-of-europe"
              autocomplete="off"
            />
          </FormScope>
          <button class="btn" data-variant="outline">
            Open
          </button>
        </form>
      </Section>
    </Page>
  );
}
