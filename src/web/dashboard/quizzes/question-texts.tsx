import type { QuestionRow } from '../../../catalog/responses';
import { Icon } from '../../components/icon';
import { DIFFICULTY_LABELS, TYPE_LABELS } from './quiz-labels';

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
