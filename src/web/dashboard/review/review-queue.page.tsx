import type { Quiz } from '../../../catalog/quizzes/quiz.entity';
import type { Form } from '../../http/form';
import { TextField } from '../../components/fields';
import { EmptyState, Table } from '../../components/table';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';
import { Badge } from '../../components/badge';
import { Time } from '../../components/format';
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
  return (
    <Page
      title="Review"
      help="Published quizzes that wait to be approved, the oldest first."
      action={
        first &&
        page.number === 1 && (
          <a class="btn" href={`${AT}/${first.id}`}>
            Start with the oldest
          </a>
        )
      }
    >
      {quizzes.length === 0 ? (
        <EmptyState title="Nothing waits for review">
          <p>A quiz comes here when its owner publishes it.</p>
        </EmptyState>
      ) : (
        <Table
          label="Quizzes that wait for review"
          rows={quizzes}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Title',
              cell: (quiz) => <QuizTitle quiz={quiz} at={AT} />,
            },
            {
              title: 'Before',
              cell: ({ rejectionReason }) =>
                rejectionReason ? (
                  <Badge variant="busy">rejected before</Badge>
                ) : (
                  <span class="muted">new</span>
                ),
            },
            {
              title: 'Questions',
              kind: 'number',
              cell: ({ questionCount }) => questionCount.toLocaleString('en'),
            },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
      <Pager page={page} total={waiting} hrefOf={(number) => `${AT}?page=${number}`} />
      {changed.total > 0 && (
        <section class="section">
          <h2>Changed since approval</h2>
          <p>
            Live quizzes that their authors edited after the review, the oldest edit first
            {changed.total > changed.quizzes.length &&
              ` (${changed.quizzes.length} of ${changed.total.toLocaleString('en')})`}
            .
          </p>
          <Table
            label="Quizzes changed since approval"
            rows={changed.quizzes}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Title', cell: (quiz) => <QuizTitle quiz={quiz} at={AT} /> },
              {
                title: 'First change',
                cell: ({ changedSinceApprovalAt: at }) => at && <Time at={at} />,
              },
            ]}
          />
        </section>
      )}
      <section class="section">
        <h2>A quiz that is live</h2>
        <p>Change a decision or moderate the leaderboard.</p>
        <form method="get" action={AT} class="form form-row after">
          <TextField
            form={form}
            name="quiz"
            label="Address or id"
            placeholder="/play/rivers-of-europe"
            autocomplete="off"
          />
          <button class="btn" data-variant="outline">
            Open
          </button>
        </form>
      </section>
    </Page>
  );
}
