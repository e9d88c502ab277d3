import type { Answer, Difficulty, QuestionType } from './vocabulary';

/**
 * What leaves the service, field by field (specification, part 2). Only what is named here is ever sent,
 * whatever a row holds.
 */

export interface QuizListRow {
  id: string;
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  question_count: number;
  plays: number;
  slug: string;
}

export interface QuestionRow {
  id: string;
  text: string;
  type: QuestionType;
  difficulty: Difficulty;
  explanation: string | null;
  position: number;
  answers: Answer[];
}

export interface BrowseRow extends Omit<QuestionRow, 'position'> {
  quiz_id: string;
  quiz_title: string;
  category: string | null;
  tags: string[];
}

/** QuizListItem. A missing description or category is "" here (contract, "Null in lists"). */
export const toQuizListItem = (quiz: QuizListRow) => ({
  id: quiz.id,
  title: quiz.title,
  description: quiz.description ?? '',
  category: quiz.category ?? '',
  difficulty: quiz.difficulty,
  tags: quiz.tags,
  questionCount: quiz.question_count,
  plays: quiz.plays,
  slug: quiz.slug,
});

/** QuizDetail */
export const toQuizDetail = (quiz: QuizListRow & { questions: QuestionRow[] }) => ({
  ...toQuizListItem(quiz),
  questions: quiz.questions.map(toQuizQuestionDetail),
});

/** QuizQuestionDetail */
export const toQuizQuestionDetail = (question: QuestionRow) => ({
  id: question.id,
  text: question.text,
  type: question.type,
  difficulty: question.difficulty,
  explanation: question.explanation,
  order: question.position,
  answers: question.answers.map(toAnswer),
});

/** QuizQuestion: `answers` only when asked for. */
export const toQuizQuestion = (
  question: QuestionRow,
  quiz: { id: string; category: string | null },
  includeAnswers: boolean,
) => ({
  id: question.id,
  quizId: quiz.id,
  text: question.text,
  type: question.type,
  difficulty: question.difficulty,
  explanation: question.explanation,
  category: quiz.category,
  ...(includeAnswers && { answers: question.answers.map(toAnswer) }),
});

/** BrowseQuestion */
export const toBrowseQuestion = (question: BrowseRow) => ({
  id: question.id,
  text: question.text,
  type: question.type,
  difficulty: question.difficulty,
  explanation: question.explanation,
  category: question.category,
  tags: question.tags,
  quizId: question.quiz_id,
  quizTitle: question.quiz_title,
  answers: question.answers.map(toAnswer),
});

const toAnswer = ({ id, text, isCorrect }: Answer): Answer => ({ id, text, isCorrect });
