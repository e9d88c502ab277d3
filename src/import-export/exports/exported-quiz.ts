import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import type { Attribution } from '../../catalog/quizzes/quizzes.service';
import type { Difficulty } from '../../catalog/vocabulary';
import type { ExportedQuiz } from '../formats/row';

/** A stored quiz, as far as files have it. */
interface StoredQuiz {
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  timeLimit?: number | null;
  maxAttempts?: number | null;
  acceptTypos?: boolean;
  questionsPerAttempt?: number | null;
  questions: readonly StoredQuestion[];
}

/** Only these fields leave the service. */
export function toExportedQuiz(
  quiz: StoredQuiz,
  attributions: ReadonlyMap<string, Attribution>,
): ExportedQuiz {
  return {
    title: quiz.title,
    ...(quiz.description && { description: quiz.description }),
    ...(quiz.category && { category: quiz.category }),
    difficulty: quiz.difficulty,
    tags: quiz.tags,
    ...(quiz.timeLimit && { timeLimit: quiz.timeLimit }),
    ...(quiz.maxAttempts && { maxAttempts: quiz.maxAttempts }),
    ...(quiz.acceptTypos && { acceptTypos: true }),
    ...(quiz.questionsPerAttempt && { questionsPerAttempt: quiz.questionsPerAttempt }),
    questions: quiz.questions.map((question) => ({
      text: question.text,
      type: question.type,
      difficulty: question.difficulty,
      ...(question.format !== 'plain' && { format: question.format }),
      ...(question.explanation && { explanation: question.explanation }),
      answers: question.answers.map(({ text, isCorrect }) => ({ text, isCorrect })),
      ...attributions.get(question.id),
    })),
  };
}
