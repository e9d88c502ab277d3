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
  questions: ContentQuestion[];
}

interface ContentQuestion {
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
  before: string | null;
  after: string | null;
}

/** The differences between two versions of a quiz, in reading order. A question is recognised by its id. */
export function quizChanges(before: QuizContent, after: QuizContent): QuizChange[] {
  const fields = (['title', 'description', 'category', 'difficulty', 'tags'] as const).map(
    (name) => ({
      what: name.charAt(0).toUpperCase() + name.slice(1),
      before: fieldText(before[name]),
      after: fieldText(after[name]),
    }),
  );
  const old = new Map(before.questions.map((it, index) => [it.id, { ...it, number: index + 1 }]));
  const present = new Set(after.questions.map(({ id }) => id));
  const questions = after.questions.map((question, index) => ({
    what: `Question ${index + 1}`,
    before: questionText(old.get(question.id)),
    after: questionText(question),
  }));
  const removed = before.questions
    .filter(({ id }) => !present.has(id))
    .map((question) => ({ what: 'Question', before: questionText(question), after: null }));
  const kept = after.questions.flatMap(({ id }) => old.get(id)?.number ?? []);
  const order = {
    what: 'Order of questions',
    before: [...kept].sort((one, other) => one - other).join(', '),
    after: kept.join(', '),
  };
  return [...fields, order, ...questions, ...removed].filter((it) => it.before !== it.after);
}

const fieldText = (value: string | string[] | null) =>
  (Array.isArray(value) ? value.join(', ') : value) || null;

function questionText(question: ContentQuestion | undefined): string | null {
  if (!question) return null;
  const { text, type, difficulty, format = 'plain', answers, explanation } = question;
  return [
    text,
    `${type}, ${difficulty}${format === 'plain' ? '' : `, ${format}`}`,
    ...answers.map((answer) => `${answer.isCorrect ? '✓' : '✗'} ${answer.text}`),
    ...(explanation ? [explanation] : []),
  ].join('\n');
}
