import type { Difficulty } from '../../../catalog/vocabulary';
import { DIFFICULTY_LABELS } from './quiz-labels';

/** What a table calls a quiz: its title, as a link, and below it what it is about. */
export function QuizTitle({
  quiz: { id, title, category, difficulty },
  at,
}: {
  quiz: { id: string; title: string; category: string | null; difficulty: Difficulty };
  /** Below which its page is. */
  at: string;
}) {
  return (
    <>
      <a class="link clip" href={`${at}/${id}`} title={title}>
        {title}
      </a>
      <span class="sub clip">
        {category ? `${category}, ` : ''}
        {DIFFICULTY_LABELS[difficulty].toLowerCase()}
      </span>
    </>
  );
}
