import type {
  Difficulty,
  QuestionFormat,
  QuestionType,
  StoredAnswer,
} from '../../catalog/vocabulary';

/** What players see of a quiz. */
export interface QuizContent {
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  /** Absent in versions that were approved before quizzes had one. */
  language?: string | null;
  questions: ContentQuestion[];
}

export interface ContentQuestion {
  id: string;
  text: string;
  type: QuestionType;
  difficulty: Difficulty;
  /** Absent in versions that were approved before there were formats: plain. */
  format?: QuestionFormat;
  explanation: string | null;
  answers: StoredAnswer[];
}

/** One difference. `before` is null for something that was added, `after` for something that was removed. */
export interface QuizChange {
  /** "Title", "Question 3". */
  what: string;
  before: string | ContentQuestion | null;
  after: string | ContentQuestion | null;
}

/** The differences between two versions of a quiz, in reading order. A question is recognised by its id. */
export function quizChanges(before: QuizContent, after: QuizContent): QuizChange[] {
  const fields = (
    ['title', 'description', 'category', 'difficulty', 'tags', 'language'] as const
  ).map((name) => ({
    what: name.charAt(0).toUpperCase() + name.slice(1),
    before: fieldText(before[name]),
    after: fieldText(after[name]),
  }));
  const old = new Map(before.questions.map((it) => [it.id, it]));
  const numberOf = new Map(before.questions.map(({ id }, index) => [id, index + 1]));
  const present = new Set(after.questions.map(({ id }) => id));
  const questions = after.questions.map((question, index) => ({
    what: `Question ${index + 1}`,
    before: old.get(question.id) ?? null,
    after: question,
  }));
  const removed = before.questions
    .filter(({ id }) => !present.has(id))
    .map((question) => ({ what: 'Question', before: question, after: null }));
  const kept = after.questions.flatMap(({ id }) => numberOf.get(id) ?? []);
  const order = {
    what: 'Order of questions',
    before: [...kept].sort((one, other) => one - other).join(', '),
    after: kept.join(', '),
  };
  const changes: QuizChange[] = [...fields, order, ...questions, ...removed];
  return changes.filter((it) => asText(it.before) !== asText(it.after));
}

const fieldText = (value: string | string[] | null | undefined) =>
  (Array.isArray(value) ? value.map(tagText).join(', ') : value) || null;

/** In quotation marks if it has a comma: the tags a and b are not the tag "a, b". */
const tagText = (tag: string) => (/[",]/.test(tag) ? JSON.stringify(tag) : tag);

/** What is compared: the ids of answers change with every edit. */
function asText(value: QuizChange['before']): string | null {
  if (value === null || typeof value === 'string') return value;
  const { text, type, difficulty, format = 'plain', answers, explanation } = value;
  return JSON.stringify([
    text,
    type,
    difficulty,
    format,
    explanation,
    ...answers.flatMap((answer) => [answer.isCorrect, answer.text]),
  ]);
}
