import type { AnswerInput } from '../../../authoring/questions/question.rules';
import type { QuestionType } from '../../../catalog/vocabulary';
import { tidy } from '../../../platform/text/text.rules';
import { difficultyOf, questionTypeOf, rowOf } from '../parsed-question';
import type { ErrorRow, Place, QuestionRow, QuizOfRow } from '../row';
import { quote, sentence } from '../text/messages';
import { byAnything, byNumber, truthOf, type FirstNumber } from './answer-key';

/** What a row of a table or an object of JSON gives for a question, in our names (`fieldOf`). */
export interface QuestionFields {
  text: string;
  type: string;
  difficulty: string;
  explanation: string;
  source: string;
  licence: string;
  /** The answers to choose from, '' where one is empty; null where the file has no such column. */
  options: string[] | null;
  /** The wrong answers, where the correct one stands apart. */
  wrong: string[] | null;
  /** The correct answers: their texts, numbers or letters. */
  correct: string[];
  /** The same by numbers or letters alone. */
  numbers: string[];
}

/**
 * The row that these fields make.
 * @param first what the numbers of correct answers count from
 * @param more `answers`: those that are marked already
 */
export function rowOfFields(
  place: Place,
  fields: QuestionFields,
  first: FirstNumber,
  more: { quiz?: QuizOfRow; notes?: string[]; errors?: string[]; answers?: AnswerInput[] },
): QuestionRow | ErrorRow {
  const errors = [...(more.errors ?? [])];
  const named = questionTypeOf(fields.type);
  if (fields.type && !named)
    errors.push(
      `the type ${quote(fields.type)} is unknown: write MULTIPLE_CHOICE, TRUE_FALSE or OPEN_ENDED`,
    );
  const difficulty = difficultyOf(fields.difficulty);
  if (fields.difficulty && !difficulty)
    errors.push(
      `the difficulty ${quote(fields.difficulty)} is unknown: write EASY, MEDIUM, HARD or EXPERT`,
    );
  // What could not be read needs no second sentence about what it leads to.
  if (errors.length > 0) return { ...place, error: sentence(errors) };
  const type = named ?? (more.answers ? undefined : impliedType(fields));
  const answers = more.answers ?? answersOf(fields, type, first);
  if (typeof answers === 'string') return { ...place, error: sentence([answers]) };
  const { text, explanation, source, licence } = fields;
  return rowOf(place, { text, type, difficulty, explanation, answers, source, licence }, more);
}

/** A question and its answer alone are a flash card. */
function impliedType({ options, wrong, correct }: QuestionFields): QuestionType | undefined {
  if (options || wrong) return undefined;
  return correct.every((key) => /^(?:true|false)$/i.test(key)) ? 'TRUE_FALSE' : 'OPEN_ENDED';
}

/** The answers with their marks, or what is wrong. */
function answersOf(
  fields: QuestionFields,
  type: QuestionType | undefined,
  first: FirstNumber,
): AnswerInput[] | string {
  const { correct, numbers } = fields;
  const options = (fields.options ?? []).map(tidy);
  const unmarked = (fields.wrong ?? [])
    .filter((text) => text.trim())
    .map((text) => ({ text, isCorrect: false }));
  const hasKey = correct.length + numbers.length > 0;
  if (type === 'OPEN_ENDED' && !hasKey)
    return [...options.filter(Boolean).map((text) => ({ text, isCorrect: true })), ...unmarked];
  if (!hasKey)
    return 'no correct answer is given: write its text, number or letter in the field "correct_answer"';
  if (!options.some(Boolean)) {
    const [key = '', ...others] = correct;
    const truth = type === 'TRUE_FALSE' && !others.length && !unmarked.length && truthOf(key);
    if (truth) return ['True', 'False'].map((text) => ({ text, isCorrect: text === truth }));
    const marked = correct.map((text) => ({ text, isCorrect: true }));
    return type === 'OPEN_ENDED' ? [...marked, ...unmarked] : sorted([...marked, ...unmarked]);
  }
  const chosen = new Set<number>();
  const found = numbers.length
    ? numbers.map((key) => byNumber(key, options, first))
    : correct.map((key) => byAnything(key, options, first));
  for (const places of found) {
    if (typeof places === 'string') return places;
    for (const place of places) chosen.add(place);
  }
  const marked = options.map((text, place) => ({ text, isCorrect: chosen.has(place) }));
  return [...marked.filter(({ text }) => text), ...unmarked];
}

const ORDER = new Intl.Collator('en', { numeric: true });

/** The correct answer stood apart from the others: sorted, its place tells nothing. True before False. */
function sorted(answers: AnswerInput[]): AnswerInput[] {
  const isTrueFalse = answers.every(({ text }) => /^(?:true|false)$/i.test(text));
  return answers.sort((a, b) => ORDER.compare(a.text, b.text) * (isTrueFalse ? -1 : 1));
}
