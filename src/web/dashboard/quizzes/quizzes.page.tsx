import {
  QUIZ_STATES,
  type OwnedQuiz,
  type QuizState,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { LinkButton } from '../../components/button';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { EmptyState, Pager, Table, Tabs, type PageOf } from '../../components/table';
import { PLAN_NEEDED, QuizTitle, StateBadge, STATES } from './quiz-labels';

const AT = '/dashboard/quizzes';

export function QuizzesPage({
  quizzes,
  counts,
  state,
  page,
  mayCreate,
}: {
  quizzes: OwnedQuiz[];
  counts: Record<QuizState, number>;
  /** The state that is shown; null: all. */
  state: QuizState | null;
  page: PageOf;
  mayCreate: boolean;
}) {
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0);
  return (
    <Page
      title="My quizzes"
      help="A quiz goes live once you publish it and an administrator approves it."
      action={
        mayCreate && (
          <div class="buttons">
            <LinkButton look="outline" href="/dashboard/imports" text="Imports" />
            <LinkButton look="primary" icon="plus" href={`${AT}/new`} text="New quiz" />
          </div>
        )
      }
    >
      {all > 0 && (
        <Tabs
          label="States"
          tabs={[
            { href: AT, label: 'All', number: all, current: state === null },
            ...QUIZ_STATES.map((it) => ({
              href: `${AT}?state=${it}`,
              label: STATES[it].tab,
              number: counts[it],
              current: state === it,
            })),
          ]}
        />
      )}
      <Table
        label="Quizzes"
        rows={quizzes}
        columns={{
          Title: (quiz) => <QuizTitle quiz={quiz} at={AT} />,
          State: (quiz) => <StateBadge state={quiz.state} />,
          Questions: ({ questionCount }) => questionCount,
          Plays: ({ plays }) => plays,
          Changed: ({ updatedAt }) => <Time at={updatedAt} />,
        }}
        empty={
          all === 0 ? (
            <NoQuizzes mayCreate={mayCreate} />
          ) : (
            <EmptyState title="None of your quizzes is here" />
          )
        }
      />
      <Pager
        page={page}
        total={state ? counts[state] : all}
        at={state ? `${AT}?state=${state}` : AT}
      />
    </Page>
  );
}

function NoQuizzes({ mayCreate }: { mayCreate: boolean }) {
  return (
    <EmptyState title="No quizzes yet">
      {mayCreate ? (
        <>
          <p>Write one here, import a file of questions, or use the API.</p>
          <div class="buttons">
            <LinkButton look="outline" href={`${AT}/new`} text="Write a quiz" />
            <LinkButton look="outline" href="/dashboard/imports/new" text="Import a file" />
          </div>
        </>
      ) : (
        <p>{PLAN_NEEDED}</p>
      )}
    </EmptyState>
  );
}
