import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-attempt';
import { count } from '../components/format';
import { Badge } from '../components/section';
import type { Form } from '../http/form';
import { PlayerFrame } from './frame';
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

/** One question: to be answered, or with the solution if it may be revealed. */
export function QuestionPage({ attempt, question, number, form, home }: Props) {
  const { title, questions } = attempt;
  const total = questions.length;
  const here = `${home}/${attempt.id}`;
  const next = nextOpen(questions, number);
  const before = `${here}/${number - 1}`;
  const nextHref = next ? `${here}/${next}` : here;
  return (
    <PlayerFrame
      title={`Question ${number} of ${total}`}
      progress={{ title: title ?? 'Quiz', href: home, number, total }}
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
              <a class="btn btn-big back-button" data-variant="ghost" href={before}>
                Back
              </a>
            )}
          </div>
        </form>
      )}
    </PlayerFrame>
  );
}

/** After an error the fields show the input, otherwise the recorded answer. */
function Asked({ question, form }: { question: VisitorQuestion; form: Form }) {
  const { text, type, multiple, choices, given } = question;
  const errors = form.errorsOf('');
  const refused = errors.length > 0;
  const chosen = refused ? form.all('answer') : (given?.answerIds ?? []);
  return (
    <fieldset aria-describedby={refused ? 'error' : undefined}>
      <legend>
        <h1 class="question-text" dir="auto" id="question">
          {text}
        </h1>
      </legend>
      {multiple && <p class="muted">Choose all that apply.</p>}
      {type === 'OPEN_ENDED' ? (
        <input
          class="input typing"
          name="text"
          value={refused ? form.text('text') : (given?.text ?? '')}
          maxLength={1_000}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          autofocus
          dir="auto"
          aria-labelledby="question"
          placeholder="Your answer"
        />
      ) : (
        <ol class="options">
          {choices.map((choice, index) => (
            <li key={choice.id}>
              <label class="option">
                <input
                  type={multiple ? 'checkbox' : 'radio'}
                  name="answer"
                  value={choice.id}
                  checked={chosen.includes(choice.id)}
                />
                <span dir="auto">{choice.text}</span>
                {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
              </label>
            </li>
          ))}
        </ol>
      )}
      {refused && (
        <p class="error" id="error" role="alert">
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}

/** After the last question, if some were skipped: go back to them, or finish. */
export function OpenQuestionsPage({ attempt, home }: { attempt: VisitorAttempt; home: string }) {
  const { questions, title } = attempt;
  const total = questions.length;
  const here = `${home}/${attempt.id}`;
  const open = questions.filter(({ given }) => !given).length;
  const first = questions.findIndex(({ given }) => !given) + 1;
  const [heading, help] =
    open === 0
      ? ['All questions are answered.', 'You may still go back and change an answer.']
      : [`${count(open, 'question', 'questions')} left`, 'Unanswered questions count as wrong.'];
  return (
    <PlayerFrame
      title="Almost done"
      progress={{ title: title ?? 'Quiz', href: home, number: total - open, total, done: true }}
    >
      <h1 class="question-text">{heading}</h1>
      <p class="muted">{help}</p>
      <ol class="options">
        {questions.map(({ id, text, given }, index) => (
          <li key={id}>
            <a class="option" href={`${here}/${index + 1}`}>
              <span class="muted">{index + 1}</span>
              <span dir="auto">{text}</span>
              {given ? <Badge variant="good">answered</Badge> : <Badge variant="busy">open</Badge>}
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
