import type { QuizState } from '../../../catalog/quizzes/owned-quizzes.service';
import type { Difficulty, QuestionType } from '../../../catalog/vocabulary';
import type { BadgeVariant } from '../../components/badge';

/** States as people say them. */
export const STATE_LABELS: Record<QuizState, string> = {
  draft: 'draft',
  waiting: 'waiting for review',
  live: 'live',
  rejected: 'rejected',
};

export const STATE_VARIANTS: Record<QuizState, BadgeVariant> = {
  draft: 'neutral',
  waiting: 'busy',
  live: 'good',
  rejected: 'bad',
};

export const DIFFICULTY_LABELS: Record<Difficulty, string> = {
  EASY: 'Easy',
  MEDIUM: 'Medium',
  HARD: 'Hard',
  EXPERT: 'Expert',
};

export const TYPE_LABELS: Record<QuestionType, string> = {
  MULTIPLE_CHOICE: 'Multiple choice',
  TRUE_FALSE: 'True or false',
  OPEN_ENDED: 'Open answer',
};

/** To who is on the Free plan. */
export const PLAN_NEEDED = 'A Starter or Pro plan is needed. Ask an administrator for one.';

/** The choices of a form. */
export const optionsOf = <T extends string>(words: Record<T, string>) =>
  (Object.entries(words) as [T, string][]).map(([value, label]) => ({ value, label }));

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
