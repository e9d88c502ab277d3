import {
  QUIZ_STATES,
  type OwnedQuiz,
  type QuizState,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { EmptyState, Tab, Table } from '../../components/table';
import { Icon } from '../../components/icon';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';
import { Badge } from '../../components/badge';
import { Time } from '../../components/format';
import { QuizTitle, PLAN_NEEDED, STATE_VARIANTS, STATE_LABELS } from './quiz-labels';

const AT = '/dashboard/quizzes';

const TABS: Record<QuizState, string> = {
  draft: 'Drafts',
  waiting: 'Waiting',
  live: 'Live',
  rejected: 'Rejected',
};

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
            <a class="btn" data-variant="outline" href="/dashboard/imports">
              Imports
            </a>
            <a class="btn" href={`${AT}/new`}>
              <Icon name="plus" /> New quiz
            </a>
          </div>
        )
      }
    >
      {all === 0 ? (
        <NoQuizzes mayCreate={mayCreate} />
      ) : (
        <>
          <nav class="tabs" aria-label="States">
            <Tab href={AT} label="All" number={all} current={state === null} />
            {QUIZ_STATES.map((it) => (
              <Tab
                key={it}
                href={`${AT}?state=${it}`}
                label={TABS[it]}
                number={counts[it]}
                current={state === it}
              />
            ))}
          </nav>
          {quizzes.length === 0 ? (
            <EmptyState title="None of your quizzes is here" />
          ) : (
            <QuizTable quizzes={quizzes} />
          )}
          <Pager
            page={page}
            total={state ? counts[state] : all}
            hrefOf={(number) => `${AT}?${state ? `state=${state}&` : ''}page=${number}`}
          />
        </>
      )}
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
            <a class="btn" data-variant="outline" href={`${AT}/new`}>
              Write a quiz
            </a>
            <a class="btn" data-variant="outline" href="/dashboard/imports/new">
              Import a file
            </a>
          </div>
        </>
      ) : (
        <p>{PLAN_NEEDED}</p>
      )}
    </EmptyState>
  );
}

function QuizTable({ quizzes }: { quizzes: OwnedQuiz[] }) {
  return (
    <Table
      label="Quizzes"
      rows={quizzes}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Title',
          cell: (quiz) => <QuizTitle quiz={quiz} at={AT} />,
        },
        {
          title: 'State',
          cell: ({ state }) => <Badge variant={STATE_VARIANTS[state]}>{STATE_LABELS[state]}</Badge>,
        },
        {
          title: 'Questions',
          kind: 'number',
          cell: ({ questionCount }) => questionCount.toLocaleString('en'),
        },
        { title: 'Plays', kind: 'number', cell: ({ plays }) => plays.toLocaleString('en') },
        { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
      ]}
    />
  );
}
