import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-attempt';
import type { Form } from '../http/form';
import { AnswerReview } from './answer-review';
import { isLastOpen, nextOpen } from './player.rules';
import { PlayerFrame, Progress } from './frame';

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
export function QuestionPage(props: Props) {
  const { attempt, question, number, home } = props;
  const total = attempt.questions.length;
  return (
    <PlayerFrame
      title={`Question ${number} of ${total}`}
      top={<Progress title={attempt.title ?? 'Quiz'} href={home} number={number} total={total} />}
    >
      {question.result ? <Told {...props} /> : <Asked {...props} />}
    </PlayerFrame>
  );
}

function Asked({ attempt, question, number, form, home }: Props) {
  const answered = attempt.questions.map(({ given }) => given !== null);
  const here = `${home}/${attempt.id}`;
  const next = nextOpen(answered, number);
  const errors = form.errorsOf('');
  return (
    <form method="post" class="asked" data-question>
      <fieldset aria-describedby={errors.length > 0 ? 'error' : undefined}>
        <legend>
          <h1 class="question-text" dir="auto" id="question">
            {question.text}
          </h1>
        </legend>
        {question.several && <p class="muted">Choose all that apply.</p>}
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
      <div class="player-actions">
        <button class="btn btn-big">{isLastOpen(answered, number) ? 'Finish' : 'Next'}</button>
        <a class="btn btn-big" data-variant="ghost" href={next ? `${here}/${next}` : here}>
          Skip
        </a>
        {number > 1 && (
          <a class="btn btn-big back-button" data-variant="ghost" href={`${here}/${number - 1}`}>
            Back
          </a>
        )}
      </div>
    </form>
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
              type={question.several ? 'checkbox' : 'radio'}
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

function Told({ attempt, question, number, home }: Props) {
  const answered = attempt.questions.map(({ given }) => given !== null);
  const here = `${home}/${attempt.id}`;
  const next = nextOpen(answered, number);
  const correct = question.result?.correct ?? false;
  return (
    <div class="told" data-question>
      <p class="verdict" role="status" data-is={correct ? 'right' : 'wrong'}>
        {correct ? 'Right!' : 'Not quite.'}
      </p>
      <h1 class="question-text" dir="auto">
        {question.text}
      </h1>
      <AnswerReview question={question} />
      <div class="player-actions">
        {answered.every(Boolean) ? (
          <form method="post" action={here}>
            <button class="btn btn-big" data-next>
              See the result
            </button>
          </form>
        ) : (
          <a class="btn btn-big" href={next ? `${here}/${next}` : here} data-next>
            Next
          </a>
        )}
      </div>
    </div>
  );
}
