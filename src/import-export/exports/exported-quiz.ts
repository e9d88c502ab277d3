import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import type { Attribution } from '../../catalog/quizzes/quizzes.service';
import type { Difficulty } from '../../catalog/vocabulary';
import type { MediaService } from '../../media/media.service';
import { countPictures } from '../../media/references.rules';
import { textsOfQuestion } from '../formats/pictures';
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
  media: MediaService,
  { questions }: ExportedQuiz,
): Promise<FilePictures> {
  const inMarkdown = questions.filter(({ format }) => format === 'markdown');
  // A text of 4,000 characters has room for 80 references, and each becomes the picture's bytes.
  const times = countPictures(inMarkdown.flatMap(textsOfQuestion));
  if (times.size === 0) return new Map();
  const found = await media.ofFile(times);
  return new Map(
    found.map(({ id, type, bytes }) => [
      id,
      { type, bytes, read: () => media.read({ id, bytes }) },
    ]),
  );
}
