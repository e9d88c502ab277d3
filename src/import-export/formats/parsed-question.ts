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
  type QuestionType,
} from '../../catalog/vocabulary';
import { fold, isStorable, tidy } from '../../platform/text/text.rules';
import {
  type ErrorRow,
  type FilePosition,
  onlyGiven,
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
  explanation?: string;
  answers: AnswerInput[];
  source?: string;
  licence?: string;
}

/** The row of a parsed question: the question, or all its errors. `errors`: those that the reader found. */
export function rowOf(
  place: FilePosition,
  draft: ParsedQuestion,
  more: { quiz?: QuizOfRow; notes?: string[]; errors?: string[] } = {},
): ParsedRow | ErrorRow {
  const answers = draft.answers.map(({ text, isCorrect }) => ({ text: tidy(text), isCorrect }));
  const type = draft.type ?? typeOf(answers.map((answer) => answer.text));
  const question = { text: tidy(draft.text), type, answers };
  const errors = [...(more.errors ?? []), ...errorsOf(question)];
  const optional = onlyGiven({
    explanation: tidy(draft.explanation ?? ''),
    source: tidy(draft.source ?? ''),
    licence: tidy(draft.licence ?? ''),
  });
  if (!Object.values(optional).every(isStorable)) errors.push(NOT_TEXT);
  if (errors.length > 0) return { ...place, error: sentence(errors) };
  return {
    ...place,
    question: { ...question, ...onlyGiven({ difficulty: draft.difficulty }), ...optional },
    ...(more.quiz && { quiz: more.quiz }),
    ...(more.notes?.length && { notes: more.notes }),
  };
}

/** The type that follows from the answers alone. */
export function typeOf(answers: readonly string[]): QuestionType {
  const keys = new Set(answers.map(fold));
  const isTrueFalse = answers.length === 2 && keys.has('true') && keys.has('false');
  return isTrueFalse ? 'TRUE_FALSE' : 'MULTIPLE_CHOICE';
}

/** `hard`, `Hard` and `HARD`; undefined for anything else. */
export function difficultyOf(text: string): Difficulty | undefined {
  return DIFFICULTIES.find((name) => name === text.trim().toUpperCase());
}

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

const NOT_TEXT =
  'it contains a character that is not text (NUL or half a surrogate pair): remove it';

function errorsOf(question: {
  text: string;
  type: QuestionType;
  answers: AnswerInput[];
}): string[] {
  const { text, type, answers } = question;
  const errors: string[] = [];
  if (!text) errors.push('the question has no text: write it');
  if (!isStorable(text) || !answers.every((answer) => isStorable(answer.text)))
    errors.push(NOT_TEXT);
  const count = answerCountError(type, answers);
  if (count)
    errors.push(
      `it ${count}: ${/at most/.test(count) ? 'leave some out' : HOW_TO_FIX_COUNT[type]}`,
    );
  const empty = answers.findIndex((answer) => !answer.text);
  if (empty >= 0) errors.push(`answer ${empty + 1} is empty: write its text or leave it out`);
  const repeated = repeatedAnswer(answers.filter((answer) => answer.text));
  if (repeated !== null)
    errors.push(`two of the answers are both ${quote(repeated)}: change or remove one`);
  if (!count && correctAnswersError(type, answers)) {
    errors.push(
      type === 'TRUE_FALSE'
        ? 'exactly one of the two answers of a TRUE_FALSE question is correct: mark one'
        : 'no answer is marked as correct: mark one',
    );
  }
  return errors;
}

const HOW_TO_FIX_COUNT: Record<QuestionType, string> = {
  MULTIPLE_CHOICE: 'add another',
  TRUE_FALSE: 'keep two, or make it MULTIPLE_CHOICE',
  OPEN_ENDED: 'add an accepted answer',
};
