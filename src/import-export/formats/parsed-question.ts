import {
  answerCountError,
  type AnswerInput,
  correctAnswersError,
  repeatedAnswer,
} from '../../authoring/questions/question.rules';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_TYPES,
  type QuestionFormat,
  type QuestionType,
} from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import { firstCodePoints, fold, isStorable, tidy } from '../../platform/text/text.rules';
import {
  type ErrorRow,
  type FilePosition,
  type ImportedQuestion,
  type ParsedRow,
  type QuizOfRow,
  quote,
  sentence,
} from './row';

/** A question as a reader found it, before validation. */
export interface ParsedQuestion {
  text: string;
  /** Absent: TRUE_FALSE if the answers are True and False, else MULTIPLE_CHOICE. */
  type?: QuestionType;
  difficulty?: Difficulty;
  /** Absent: plain. */
  format?: QuestionFormat;
  explanation?: string;
  answers: AnswerInput[];
  source?: string;
  licence?: string;
}

/** @returns the question as a row, or what is wrong with it */
export function rowOf(
  place: FilePosition,
  draft: ParsedQuestion,
  more: {
    quiz?: QuizOfRow | undefined;
    notes?: string[];
    /** The errors that the reader has found. */
    errors?: string[];
    /** The error of a question without a correct answer, which says how the format marks one. */
    unmarked?: string;
  } = {},
): ParsedRow | ErrorRow {
  const answers = draft.answers.map(({ text, isCorrect }) => ({ text: tidy(text), isCorrect }));
  const type = draft.type ?? typeOf(answers.map((answer) => answer.text));
  const question: ImportedQuestion = { text: tidy(draft.text), type, answers };
  const errors = [...(more.errors ?? []), ...errorsOf(question, more.unmarked ?? UNMARKED)];
  if (draft.difficulty) question.difficulty = draft.difficulty;
  if (draft.format) question.format = draft.format;
  const notes = [...(more.notes ?? [])];
  for (const name of ['explanation', 'source', 'licence'] as const) {
    const written = draft[name];
    if (!written) continue;
    const text = tidy(written);
    if (!isStorable(text) && !errors.includes(NOT_TEXT)) errors.push(NOT_TEXT);
    const kept = name === 'explanation' ? text : firstCodePoints(text, attribution.value).trim();
    if (kept) question[name] = kept;
    if (kept !== text) notes.push(name === 'source' ? SOURCE_CUT : LICENCE_CUT);
  }
  if (errors.length > 0) return { ...place, error: sentence(errors) };
  const row: ParsedRow = { ...place, question };
  if (more.quiz) row.quiz = more.quiz;
  if (notes.length > 0) row.notes = notes;
  return row;
}

/** The type that follows from the answers alone. */
export function typeOf(answers: readonly string[]): QuestionType {
  const keys = new Set(answers.map(fold));
  const isTrueFalse = answers.length === 2 && keys.has('true') && keys.has('false');
  return isTrueFalse ? 'TRUE_FALSE' : 'MULTIPLE_CHOICE';
}

/** `hard`, `Hard` and `HARD`, and the words of some other languages; undefined for anything else. */
export function difficultyOf(text: string): Difficulty | undefined {
  const word = text.trim().toUpperCase();
  return DIFFICULTIES.find((name) => name === word) ?? DIFFICULTY_WORDS.get(word);
}

/** Sheets in German, French, Spanish, Portuguese, Italian and Polish have these words. */
const DIFFICULTY_WORDS = new Map<string, Difficulty>([
  ...['LEICHT', 'EINFACH', 'FACILE', 'FÁCIL', 'FACIL', 'ŁATWE', 'ŁATWY'].map(
    (it) => [it, 'EASY'] as const,
  ),
  ...['MITTEL', 'MOYEN', 'MOYENNE', 'MEDIO', 'MEDIA', 'MÉDIO', 'MÉDIA', 'ŚREDNIE', 'ŚREDNI'].map(
    (it) => [it, 'MEDIUM'] as const,
  ),
  ...['SCHWER', 'SCHWIERIG', 'DIFFICILE', 'DIFÍCIL', 'DIFICIL', 'TRUDNE', 'TRUDNY'].map(
    (it) => [it, 'HARD'] as const,
  ),
  ...['EXPERTE', 'EXPERTO', 'ESPERTO', 'EKSPERT'].map((it) => [it, 'EXPERT'] as const),
]);

/** `MULTIPLE_CHOICE`, `multiple choice`, `true/false`, `short answer`…; undefined for anything else. */
export function questionTypeOf(text: string): QuestionType | undefined {
  const name = text.toUpperCase().replace(/[^A-Z]+/g, '');
  return QUESTION_TYPES.find((type) => TYPE_NAMES[type].has(name));
}

const TYPE_NAMES: Record<QuestionType, ReadonlySet<string>> = {
  MULTIPLE_CHOICE: new Set([
    ...['MULTIPLECHOICE', 'MC', 'MCQ', 'MULTIPLE', 'MULTICHOICE', 'SINGLECHOICE', 'CHOICE'],
    ...['MULTIPLERESPONSE', 'MULTIPLEANSWER', 'MULTIPLEANSWERS', 'MULTIPLESELECT', 'MULTISELECT'],
    ...['CHECKBOX', 'CHECKBOXES', 'RADIO', 'SELECT', 'TEXTCHOICE'],
  ]),
  TRUE_FALSE: new Set(['TRUEFALSE', 'TRUEORFALSE', 'TF', 'BOOLEAN', 'BOOL']),
  OPEN_ENDED: new Set([
    ...['OPENENDED', 'OPEN', 'SHORTANSWER', 'TEXT', 'TEXTINPUT', 'TYPEANSWER', 'FLASHCARD'],
    ...['FILLINTHEBLANK', 'FILLINTHEBLANKS', 'FILLINBLANK', 'FILLIN', 'NUMERICAL'],
  ]),
};

const { answersPerQuestion, attribution } = LIMITS.content;

const UNMARKED = 'no answer is marked as correct: mark one';

const SOURCE_CUT = `Only the first ${attribution.value} characters of the source are kept.`;
const LICENCE_CUT = `Only the first ${attribution.value} characters of the licence are kept.`;

const NOT_TEXT = 'it contains an invalid character (NUL or an unpaired surrogate): remove it';

function errorsOf(
  question: { text: string; type: QuestionType; answers: AnswerInput[] },
  unmarked: string,
): string[] {
  const { text, type, answers } = question;
  const errors: string[] = [];
  if (!text) errors.push('the question has no text: write it');
  if (!isStorable(text) || !answers.every((answer) => isStorable(answer.text)))
    errors.push(NOT_TEXT);
  const count = answerCountError(type, answers);
  if (count) {
    const isTooMany = type !== 'TRUE_FALSE' && answers.length > answersPerQuestion.value;
    errors.push(isTooMany ? `it ${count}: remove some` : wrongCount(type, answers.length));
  }
  const empty = answers.findIndex((answer) => !answer.text);
  if (empty >= 0) errors.push(`answer ${empty + 1} is empty: write its text or remove it`);
  const repeated = repeatedAnswer(answers.filter((answer) => answer.text));
  if (repeated !== null)
    errors.push(`two of the answers are both ${quote(repeated)}: change or remove one`);
  if (!count && correctAnswersError(type, answers)) {
    errors.push(
      type === 'TRUE_FALSE'
        ? 'exactly one of the two answers of a TRUE_FALSE question is correct: mark one'
        : unmarked,
    );
  }
  return errors;
}

const wrongCount = (type: QuestionType, count: number) =>
  type === 'TRUE_FALSE' && count < 2 ? TOO_FEW : WRONG_COUNT[type];

const TOO_FEW = 'give the TRUE_FALSE question two answers, one of them correct';

const WRONG_COUNT: Record<QuestionType, string> = {
  MULTIPLE_CHOICE: 'give the question at least 2 answers',
  TRUE_FALSE: 'a TRUE_FALSE question has exactly 2 answers: keep two, or make it MULTIPLE_CHOICE',
  OPEN_ENDED: 'add an accepted answer',
};
