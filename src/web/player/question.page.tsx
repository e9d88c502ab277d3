import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-attempt';
import { count } from '../components/format';
import { Icon } from '../components/icon';
import type { Form } from '../http/form';
import { PlayerFrame, Progress } from './frame';
import { isLastOpen, nextOpen } from './player.rules';
import { AnswerReview } from './result.page';

interface Props {
  attempt: VisitorAttempt;
  question: VisitorQuestion;
  /** From 1. */
  number: number;
  form: Form;
  /** `/play/{slug}` */
  home: string;
}

/** One question: to be answered, or with the solution where that was asked for and may be known. */
export function QuestionPage({ attempt, question, number, form, home }: Props) {
  const { title, questions } = attempt;
  const total = questions.length;
  const here = `${home}/${attempt.id}`;
  const next = nextOpen(questions, number);
  const nextHref = next ? `${here}/${next}` : here;
  return (
    <PlayerFrame
      title={`Question ${number} of ${total}`}
      top={<Progress title={title ?? 'Quiz'} href={home} number={number} total={total} />}
    >
      {question.result ? (
        <div class="told" data-question>
          <p class="verdict" role="status" data-is={question.result.correct ? 'right' : 'wrong'}>
            {question.result.correct ? 'Right!' : 'Not quite.'}
          </p>
          <h1 class="question-text" dir="auto">
            {question.text}
          </h1>
          <AnswerReview question={question} />
          <div class="player-actions">
            {questions.every(({ given }) => given) ? (
              <form method="post" action={here}>
                <button class="btn btn-big" data-next>
                  See the result
                </button>
              </form>
            ) : (
              <a class="btn btn-big" href={nextHref} data-next>
                Next
              </a>
            )}
          </div>
        </div>
      ) : (
        <form method="post" class="asked" data-question>
          <Asked question={question} form={form} />
          <div class="player-actions">
            <button class="btn btn-big">{isLastOpen(questions, number) ? 'Finish' : 'Next'}</button>
            <a class="btn btn-big" data-variant="ghost" href={nextHref}>
              Skip
            </a>
            {number > 1 && (
              <a
                class="btn btn-big back-button"
                data-variant="ghost"
                href={`${here}/${number - 1}`}
              >
                Back
              </a>
            )}
          </div>
        </form>
      )}
    </PlayerFrame>
  );
}

function Asked({ question, form }: { question: VisitorQuestion; form: Form }) {
  const errors = form.errorsOf('');
  return (
    <fieldset aria-describedby={errors.length > 0 ? 'error' : undefined}>
      <legend>
        <h1 class="question-text" dir="auto" id="question">
          {question.text}
        </h1>
      </legend>
      {question.multiple && <p class="muted">Choose all that apply.</p>}
      {question.type === 'OPEN_ENDED' ? (
        <Typing question={question} form={form} />
      ) : (
        <Choices question={question} form={form} />
      )}
      {errors.length > 0 && (
        <p class="error" id="error" role="alert">
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}

function Choices({ question, form }: { question: VisitorQuestion; form: Form }) {
  const chosen = form.errors.length > 0 ? form.all('answer') : (question.given?.answerIds ?? []);
  return (
    <ol class="options">
      {question.choices.map(({ id, text }, index) => (
        <li key={id}>
          <label class="option">
            <input
              type={question.multiple ? 'checkbox' : 'radio'}
              name="answer"
              value={id}
              checked={chosen.includes(id)}
            />
            <span dir="auto">{text}</span>
            {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
          </label>
        </li>
      ))}
    </ol>
  );
}

function Typing({ question, form }: { question: VisitorQuestion; form: Form }) {
  const typed = form.errors.length > 0 ? form.text('text') : (question.given?.text ?? '');
  return (
    <input
      class="input typing"
      name="text"
      value={typed}
      maxLength={1_000}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      autofocus
      dir="auto"
      aria-labelledby="question"
      placeholder="Your answer"
    />
  );
}

/** After the last question, where some were skipped: go back to them, or finish as it is. */
export function OpenQuestionsPage({ attempt, home }: { attempt: VisitorAttempt; home: string }) {
  const { questions } = attempt;
  const here = `${home}/${attempt.id}`;
  const open = questions.filter(({ given }) => !given).length;
  const first = questions.findIndex(({ given }) => !given) + 1;
  return (
    <PlayerFrame
      title="Almost done"
      top={
        <Progress
          title={attempt.title ?? 'Quiz'}
          href={home}
          number={questions.length - open}
          total={questions.length}
          done
        />
      }
    >
      <h1 class="question-text">
        {open === 0
          ? 'All questions are answered.'
          : `${count(open, 'question', 'questions')} left`}
      </h1>
      <p class="muted">
        {open === 0
          ? 'You may still go back and change an answer.'
          : 'Unanswered questions count as wrong.'}
      </p>
      <ol class="overview">
        {questions.map(({ id, text, given }, index) => (
          <li key={id} data-open={given ? undefined : ''}>
            <a href={`${here}/${index + 1}`}>
              <span class="overview-number">{index + 1}</span>
              <span dir="auto">{text}</span>
              {given ? (
                <span class="overview-state">
                  <Icon name="check" />
                  <span class="sr-only">answered</span>
                </span>
              ) : (
                <span class="overview-state">open</span>
              )}
            </a>
          </li>
        ))}
      </ol>
      <div class="player-actions">
        {open > 0 && (
          <a class="btn btn-big" href={`${here}/${first}`} data-next>
            Answer {open === 1 ? 'it' : 'them'}
          </a>
        )}
        <form method="post" action={here}>
          <button class="btn btn-big" data-variant={open > 0 ? 'ghost' : undefined}>
            Finish{open > 0 ? ' now' : ''}
          </button>
        </form>
      </div>
    </PlayerFrame>
  );
}
