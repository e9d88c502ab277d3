import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Difficulty, QuestionType } from '../catalog/vocabulary';

/** One file of `catalogue/`: a topic, its categories, and example quizzes. */
export interface StarterTopic {
  topic: { name: string; slug: string; icon: string };
  categories: { name: string; slug: string }[];
  quizzes: StarterQuiz[];
}

interface StarterQuiz {
  title: string;
  description: string;
  category: string;
  difficulty: Difficulty;
  tags: string[];
  questions: {
    text: string;
    type: QuestionType;
    difficulty: Difficulty;
    explanation: string;
    answers: { text: string; isCorrect: boolean }[];
  }[];
}

/** In the order in which the topics are shown. */
const FILES = [
  'science',
  'nature',
  'geography',
  'history',
  'literature',
  'art',
  'music',
  'screen',
  'sports',
  'food',
  'technology',
  'mathematics',
];

export function readStarterCatalogue(): StarterTopic[] {
  return FILES.map(
    (name) =>
      JSON.parse(
        readFileSync(join(__dirname, 'catalogue', `${name}.json`), 'utf8'),
      ) as StarterTopic,
  );
}
