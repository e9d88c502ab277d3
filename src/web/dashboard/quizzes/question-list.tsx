import type {
  OwnedQuestion,
  OwnedQuizDetail,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../../platform/limits/limits';
import type { QuestionRow } from '../../../catalog/responses';
import { Confirm } from '../../components/confirm';
import { EmptyState } from '../../components/table';
import { Icon } from '../../components/icon';
import { MoveButtons } from '../../components/move-buttons';
import { Pager, type PageOf } from '../../components/pager';
import { DIFFICULTY_LABELS, TYPE_LABELS } from './quiz-labels';

export const QUESTIONS_PER_PAGE = LIMITS.content.questionsPerPage.value;

/** Where a question stands on its quiz's pages. */
export function questionHref(quizId: string, { id, position }: { id: string; position: number }) {
  const page = Math.ceil(position / QUESTIONS_PER_PAGE);
  return `/dashboard/quizzes/${quizId}${page > 1 ? `?page=${page}` : ''}#question-${id}`;
}

/** A page of a quiz's questions in order, with what their owner can do. */
export function QuestionList({
  quiz,
  at,
  page,
}: {
  quiz: OwnedQuizDetail;
  at: string;
  page: PageOf;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>Questions</h2>
        <div class="buttons">
          <a
            class="btn"
            data-variant="outline"
            data-size="sm"
            href={`/dashboard/imports/new?quiz=${quiz.id}`}
          >
            Import a file
          </a>
          {quiz.questionCount > 0 && (
            <a class="btn" data-variant="outline" data-size="sm" href={`${at}/questions/new`}>
              <Icon name="plus" /> Add a question
            </a>
          )}
        </div>
      </div>
      {quiz.questionCount === 0 ? (
        <EmptyState title="No questions yet">
          <p>A quiz without questions can be read, but not played.</p>
          <a class="btn" data-variant="outline" href={`${at}/questions/new`}>
            Add the first question
          </a>
        </EmptyState>
      ) : (
        <>
          <ol class="questions" start={page.offset + 1}>
            {quiz.questions.map((question) => (
              <Question key={question.id} question={question} at={at} last={quiz.questionCount} />
            ))}
          </ol>
          <Pager
            page={page}
            total={quiz.questionCount}
            hrefOf={(number) => `${at}?page=${number}`}
          />
        </>
      )}
    </section>
  );
}

function Question({ question, at, last }: { question: OwnedQuestion; at: string; last: number }) {
  const its = `${at}/questions/${question.id}`;
  return (
    <li class="panel question" id={`question-${question.id}`}>
      <QuestionTexts question={question} />
      <div class="buttons after">
        <a
          class="btn"
          data-variant="outline"
          data-size="sm"
          href={`${its}/edit`}
          aria-label={`Edit question ${question.position}`}
        >
          Edit
        </a>
        <MoveButtons
          action={`${its}/move`}
          name={`question ${question.position}`}
          first={question.position === 1}
          last={question.position === last}
        />
        <Confirm
          label="Delete"
          action={`${its}/delete`}
          question={`Delete question ${question.position}?`}
          effect={`“${question.text}” is deleted with its answers. This cannot be undone.`}
          button="Delete question"
        />
      </div>
    </li>
  );
}

/** A question as it reads, with its right answers marked: for its owner, and for who reviews it. */
export function QuestionTexts({ question }: { question: QuestionRow }) {
  const { position, text, type, difficulty, explanation, answers } = question;
  return (
    <>
      <h3>
        <span class="figure">{position}</span> {text}
      </h3>
      <p class="muted">
        {TYPE_LABELS[type]}, {DIFFICULTY_LABELS[difficulty].toLowerCase()}
      </p>
      <ul class="answers">
        {answers.map((answer) => (
          <li key={answer.id} data-right={answer.isCorrect ? '' : undefined}>
            {answer.isCorrect ? <Icon name="check" /> : <span class="no-icon" aria-hidden="true" />}
            <span>
              {answer.text}
              {answer.isCorrect && <span class="sr-only"> (right)</span>}
            </span>
          </li>
        ))}
      </ul>
      {explanation && <p class="muted said">{explanation}</p>}
    </>
  );
}
