import type { VisitorQuestion } from '../../play/visitors/visitor-attempt';
import { Icon } from '../components/icon';

/** A question with what was answered, what is right, and why. Nothing where that may not be known. */
export function AnswerReview({ question }: { question: VisitorQuestion }) {
  const { type, given, result } = question;
  if (!result) return null;
  return (
    <div class="review">
      {type === 'OPEN_ENDED' ? <Typed question={question} /> : <Chosen question={question} />}
      {!given && <p class="review-note">You left this one out.</p>}
      {result.explanation && (
        <p class="explanation" dir="auto">
          {result.explanation}
        </p>
      )}
    </div>
  );
}

function Chosen({ question: { choices, given, result } }: { question: VisitorQuestion }) {
  const right = new Set(result?.correctAnswers.map(({ id }) => id));
  return (
    <ul class="options">
      {choices.map(({ id, text }) => {
        const chosen = given?.answerIds?.includes(id) ?? false;
        const is = right.has(id) ? 'right' : chosen ? 'wrong' : 'other';
        return (
          <li key={id} class="option" data-is={is} data-chosen={chosen ? '' : undefined}>
            <span class="mark">
              {is === 'right' && <Icon name="check" />}
              {is === 'wrong' && <Icon name="cross" />}
            </span>
            <span dir="auto">{text}</span>
            <span class="option-note">{NOTES[is][chosen ? 'chosen' : 'left']}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** In words too, for who does not see the colours. */
const NOTES = {
  right: { chosen: 'Your answer, right', left: 'Right answer' },
  wrong: { chosen: 'Your answer, wrong', left: '' },
  other: { chosen: '', left: '' },
};

function Typed({ question: { given, result } }: { question: VisitorQuestion }) {
  if (!result) return null;
  const accepted = new Intl.ListFormat('en', { type: 'disjunction' }).format(
    result.correctAnswers.map(({ text }) => text),
  );
  return (
    <ul class="options">
      {given && (
        <li class="option" data-is={result.correct ? 'right' : 'wrong'} data-chosen="">
          <span class="mark">
            <Icon name={result.correct ? 'check' : 'cross'} />
          </span>
          <span dir="auto">{given.text}</span>
          <span class="option-note">Your answer, {result.correct ? 'right' : 'wrong'}</span>
        </li>
      )}
      {!result.correct && (
        <li class="option" data-is="right">
          <span class="mark">
            <Icon name="check" />
          </span>
          <span dir="auto">{accepted}</span>
          <span class="option-note">Right answer</span>
        </li>
      )}
    </ul>
  );
}
