import type { EntityManager } from 'typeorm';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import type { Attribution } from '../../catalog/quizzes/quizzes.service';
import type { Difficulty } from '../../catalog/vocabulary';
import { findContents } from '../../media/media.queries';
import { pictureIdsIn } from '../../media/references.rules';
import { LIMITS } from '../../platform/limits/limits';
import { textsOf } from '../formats/pictures';
import type { ExportedQuiz, FilePictures } from '../formats/row';

/** A stored quiz, as far as files have it. */
interface StoredQuiz {
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  language?: string | null;
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
    ...(quiz.language && { language: quiz.language }),
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

/** The pictures that the questions of a quiz show. */
export async function findPictures(
  database: EntityManager,
  { questions }: ExportedQuiz,
): Promise<FilePictures> {
  const inMarkdown = questions.filter(({ format }) => format === 'markdown');
  const ids = new Set(inMarkdown.flatMap(textsOf).flatMap(pictureIdsIn));
  if (ids.size === 0) return new Map();
  const rows = await findContents(database, [...ids], LIMITS.content.exportedPictures.value);
  return new Map(rows.map(({ id, type, content }) => [id, { type, content }]));
}
