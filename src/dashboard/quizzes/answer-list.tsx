import type { QuestionRow } from '../../catalog/responses';
import { Icon } from '../kit/icon';

/** The answers of a question; the right ones are marked, in words too. */
export function AnswerList({ question }: { question: Pick<QuestionRow, 'answers'> }) {
  return (
    <ul class="answers">
      {question.answers.map(({ id, text, isCorrect }) => (
        <li key={id} data-right={isCorrect ? '' : undefined}>
          {isCorrect ? <Icon name="check" /> : <span class="no-icon" aria-hidden="true" />}
          <span>
            {text}
            {isCorrect && <span class="sr-only"> (right)</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
