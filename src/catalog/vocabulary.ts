/** The enumerations of the specification, part 2. */
export const DIFFICULTIES = ['EASY', 'MEDIUM', 'HARD', 'EXPERT'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

export const QUESTION_TYPES = ['MULTIPLE_CHOICE', 'TRUE_FALSE', 'OPEN_ENDED'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** How the texts of a question are written: shown as they are, or in Markdown. */
export const QUESTION_FORMATS = ['plain', 'markdown'] as const;
export type QuestionFormat = (typeof QUESTION_FORMATS)[number];

/** The result of the review of a quiz (contract, "Approval"). */
export type Approval = 'pending' | 'approved' | 'rejected';

/** Answer, as specified and as stored. */
export interface StoredAnswer {
  id: string;
  text: string;
  isCorrect: boolean;
}

/** A kind of question. */
export interface QuestionKind {
  difficulty: Difficulty;
  type: QuestionType;
}

/** Every kind, in the order of `counts_by_kind`. SQL derives the same from its enums: the view `question_kinds`. */
export const QUESTION_KINDS: readonly QuestionKind[] = DIFFICULTIES.flatMap((difficulty) =>
  QUESTION_TYPES.map((type) => ({ difficulty, type })),
);

/** How many of the questions are of each kind, as in `counts_by_kind`; deleted ones are subtracted. */
export const countsByKind = (
  added: readonly QuestionKind[],
  removed: readonly QuestionKind[] = [],
) =>
  QUESTION_KINDS.map(({ difficulty, type }) => {
    const isKind = (it: QuestionKind) => it.difficulty === difficulty && it.type === type;
    return added.filter(isKind).length - removed.filter(isKind).length;
  });

/** The state of a quiz as its owner sees it. */
export const QUIZ_STATES = ['draft', 'pending', 'live', 'rejected'] as const;
export type QuizState = (typeof QUIZ_STATES)[number];

/** The orders of a list of quizzes. */
export const QUIZ_ORDERS = ['popular', 'newest', 'title'] as const;
export type QuizOrder = (typeof QUIZ_ORDERS)[number];

/** The shortest time limit of a quiz, in seconds; the longest is among the limits. */
export const SHORTEST_TIME_LIMIT = 10;

/** How a quiz is played: no part of the content that is reviewed. */
export interface RulesOfPlay {
  /** In seconds; null: none. */
  timeLimit: number | null;
  /** Of each player; null: any number. */
  maxAttempts: number | null;
  /** How many questions each attempt draws; null: all of them. */
  questionsPerAttempt: number | null;
  /** Whether a typed answer with one typing error counts. */
  acceptTypos: boolean;
}

/** Their columns in `quizzes`. */
export const RULE_COLUMNS: Readonly<Record<keyof RulesOfPlay, string>> = {
  timeLimit: 'time_limit',
  maxAttempts: 'max_attempts',
  questionsPerAttempt: 'questions_per_attempt',
  acceptTypos: 'accept_typos',
};
const RULES_OF_PLAY = Object.keys(RULE_COLUMNS) as (keyof RulesOfPlay)[];

type WithRules = { [Rule in keyof RulesOfPlay]?: unknown };

/** The rules of play among the fields of `whole`; undefined ones are left out. */
export const rulesOf = <T extends WithRules>(whole: T) =>
  Object.fromEntries(
    RULES_OF_PLAY.filter((rule) => whole[rule] !== undefined).map((rule) => [rule, whole[rule]]),
  ) as Pick<T, Extract<keyof T, keyof RulesOfPlay>>;

/** The fields of `whole` that are no rules of play. */
export function withoutRules<T extends WithRules>(whole: T): Omit<T, keyof RulesOfPlay> {
  const rest = { ...whole };
  for (const rule of RULES_OF_PLAY) delete rest[rule];
  return rest;
}
