import type { Quiz } from '../../catalog/quiz.entity';
import { EmptyState } from '../kit/empty-state';
import { Page } from '../kit/page';
import { Pager } from '../kit/pager';
import type { PageOf } from '../kit/paging.rules';
import { Pill } from '../kit/pill';
import { Table } from '../kit/table';
import { Time } from '../kit/time';
import { DIFFICULTY_WORDS } from '../quizzes/quiz-words';

const AT = '/dashboard/admin/review';

export function ReviewQueuePage({
  quizzes,
  waiting,
  page,
}: {
  quizzes: Quiz[];
  waiting: number;
  page: PageOf;
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
              cell: ({ id, title, category, difficulty }) => (
                <>
                  <a class="link clip" href={`${AT}/${id}`} title={title}>
                    {title}
                  </a>
                  <span class="sub clip">
                    {category ? `${category}, ` : ''}
                    {DIFFICULTY_WORDS[difficulty].toLowerCase()}
                  </span>
                </>
              ),
            },
            {
              title: 'Before',
              cell: ({ rejectionReason }) =>
                rejectionReason ? (
                  <Pill tone="busy">rejected before</Pill>
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
    </Page>
  );
}
