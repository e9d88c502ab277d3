import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import { formatOf, WRITABLE_FORMATS } from '../../../import-export/formats/formats';
import { Confirm } from '../../components/confirm';
import { Icon } from '../../components/icon';
import { Note, Badge } from '../../components/badge';
import { Page } from '../../components/page';
import type { PageOf } from '../../components/pager';
import { Time, count } from '../../components/format';
import { QuestionList } from './question-list';
import { BACK_TO_QUIZZES } from './quiz-form.page';
import { DIFFICULTY_LABELS, STATE_VARIANTS, STATE_LABELS } from './quiz-labels';

/** One quiz of the viewer's: where it stands, what it says, its questions. */
export function QuizPage({ quiz, page }: { quiz: OwnedQuizDetail; page: PageOf }) {
  const at = `/dashboard/quizzes/${quiz.id}`;
  return (
    <Page
      title={quiz.title}
      help={HELP[quiz.state]}
      back={BACK_TO_QUIZZES}
      action={<PrimaryAct quiz={quiz} at={at} />}
    >
      {quiz.state === 'rejected' && <Rejection quiz={quiz} at={at} />}
      <Facts quiz={quiz} at={at} />
      <QuestionList quiz={quiz} at={at} page={page} />
      <section class="section">
        <h2>Export</h2>
        <p>The quiz with its questions and answers as a file, which can be imported again.</p>
        <div class="buttons after">
          {WRITABLE_FORMATS.map((format) => (
            <a
              key={format}
              class="btn"
              data-variant="outline"
              data-size="sm"
              href={`${at}/export?format=${format}`}
            >
              {formatOf(format).title}
            </a>
          ))}
        </div>
      </section>
      <section class="section">
        <h2>Delete</h2>
        <p>
          {quiz.published
            ? 'To take it offline without deleting it, unpublish it instead.'
            : 'It is taken from your quizzes, and its place in your plan is free again.'}
        </p>
        <div class="buttons after">
          <Confirm
            label="Delete quiz"
            action={`${at}/delete`}
            question={`Delete “${quiz.title}”?`}
            effect={`${quiz.questionCount > 0 ? `Its ${count(quiz.questionCount, 'question is', 'questions are')} deleted with it, and` : 'It is gone, and'} its place in your plan is free again. This cannot be undone.`}
            button="Delete quiz"
          />
        </div>
      </section>
    </Page>
  );
}

const HELP: Record<OwnedQuizDetail['state'], string> = {
  draft: 'Only you see it. Publish it when its questions are ready.',
  waiting: 'It is published. Everybody sees it when an administrator has approved it.',
  live: 'Everybody can read and play it. Your changes are seen at once.',
  rejected: 'An administrator has looked at it and asks for a change.',
};

/** The one thing to do next. */
function PrimaryAct({ quiz, at }: { quiz: OwnedQuizDetail; at: string }) {
  if (quiz.questionCount === 0)
    return (
      <a class="btn" href={`${at}/questions/new`}>
        <Icon name="plus" /> Add a question
      </a>
    );
  if (quiz.state === 'live')
    return (
      <a class="btn" data-variant="outline" href={`/play/${quiz.slug}`}>
        Play
      </a>
    );
  if (quiz.state !== 'draft') return null;
  return (
    <form method="post" action={`${at}/publish`}>
      <button class="btn">Publish</button>
    </form>
  );
}

function Rejection({ quiz, at }: { quiz: OwnedQuizDetail; at: string }) {
  return (
    <Note variant="bad" title="This quiz was rejected">
      <p class="said">{quiz.rejectionReason}</p>
      <form method="post" action={`${at}/resubmit`}>
        <button class="btn" data-variant="outline" data-size="sm">
          Send to review again
        </button>
      </form>
    </Note>
  );
}

function Facts({ quiz, at }: { quiz: OwnedQuizDetail; at: string }) {
  return (
    <section class="panel" aria-label="About the quiz">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <Badge variant={STATE_VARIANTS[quiz.state]}>{STATE_LABELS[quiz.state]}</Badge>
        </dd>
        <dt>Description</dt>
        <dd class="said">{quiz.description ?? <span class="muted">none</span>}</dd>
        <dt>Category</dt>
        <dd>{quiz.category ?? <span class="muted">none</span>}</dd>
        <dt>Difficulty</dt>
        <dd>{DIFFICULTY_LABELS[quiz.difficulty]}</dd>
        <dt>Tags</dt>
        <dd>{quiz.tags.length > 0 ? quiz.tags.join(', ') : <span class="muted">none</span>}</dd>
        <dt>Played</dt>
        <dd>{count(quiz.plays, 'time', 'times')}</dd>
        <dt>Changed</dt>
        <dd>
          <Time at={quiz.updatedAt} />
        </dd>
        <dt>Quiz id</dt>
        <dd class="mono">{quiz.id}</dd>
      </dl>
      <div class="buttons after">
        <a class="btn" data-variant="outline" data-size="sm" href={`${at}/edit`}>
          Edit
        </a>
        {quiz.plays > 0 && (
          <a class="btn" data-variant="outline" data-size="sm" href={`${at}/leaderboard`}>
            Leaderboard
          </a>
        )}
        {quiz.published && (
          <Confirm
            label="Hide"
            action={`${at}/unpublish`}
            question={`Hide “${quiz.title}”?`}
            effect="Only you can see it until you publish it again. People who have already started can finish."
            button="Hide quiz"
          />
        )}
        {!quiz.published && (quiz.state === 'rejected' || quiz.questionCount === 0) && (
          <form method="post" action={`${at}/publish`}>
            <button class="btn" data-variant="outline" data-size="sm">
              Publish
            </button>
          </form>
        )}
      </div>
    </section>
  );
}
