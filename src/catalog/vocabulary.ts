/** The enumerations of the specification, part 2. */
export const DIFFICULTIES = ['EASY', 'MEDIUM', 'HARD', 'EXPERT'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

export const QUESTION_TYPES = ['MULTIPLE_CHOICE', 'TRUE_FALSE', 'OPEN_ENDED'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** Whether a quiz has been let through review (contract, "Approval"). */
export type Approval = 'pending' | 'approved' | 'rejected';

/** Answer, as the specification gives it and as it is stored. */
export interface Answer {
  id: string;
  text: string;
  isCorrect: boolean;
}

/** Place of a question's kind in a quiz's `question_mix`, from 1: difficulty by difficulty, type by type. */
export function kindIndex(difficulty: Difficulty, type: QuestionType): number {
  return (
    DIFFICULTIES.indexOf(difficulty) * QUESTION_TYPES.length + QUESTION_TYPES.indexOf(type) + 1
  );
}
