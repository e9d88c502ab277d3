import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { LIMITS } from '../../../platform/limits/limits';
import { byAnything, truthOf } from '../answer-key';
import { rowOf } from '../parsed-question';
import { type ImportRow, type QuizOfRow, quote } from '../row';
import {
  ignoreEmphasis,
  insideBold,
  isMarked,
  type MarkedAnswer,
  markedAnswer,
  settleMarks,
} from '../text/answer-marks';
import { hasGap } from '../text/cloze';
import { letterOf } from '../text/letters';
import { foreignLine, inlineOptions, type ListMark } from '../text/list-marks';
import type { AnswerSection } from './answer-section';

const MOST = LIMITS.content.answersPerQuestion.value;

export interface Option extends MarkedAnswer {
  mark: ListMark;
}

/** A question as far as it was read. */
export interface Draft {
  line: number;
  size: number;
  text: string[];
  /** By which an answer key at the end of the file names it. */
  number: number | undefined;
  /** What says that it is a question: a number, a name such as "Question 3" or a heading; '' if nothing does. */
  style: string;
  indent: number;
  options: Option[];
  /** Of the last option. */
  optionIndent: number;
  /** Whether blank lines separate the options. */
  isLoose: boolean;
  keys: string[];
  explanation: string[];
  /** What has come after an option. Both may also stand above the options. */
  below: Set<'key' | 'explanation'>;
  /** Lines of text right after the options, with the number of keys before each: a new question, or an error. */
  trailing: { line: number; text: string; keys: number }[];
  errors: Set<string>;
}

const UNMARKED =
  'no answer is marked as correct: put * behind the correct one, or write a line such as "Answer: B" below the answers';

export const MANY_KEYS = 'more than one line names the correct answer: keep one';

export const MIXED_MARKS = 'the answers are marked in different ways: use the same sign for all';

const GAP =
  'the question has a gap as Anki writes it: write ____ instead, and its answer behind "Answer:" below';

export const standsAfter = (text: string): string =>
  `the text ${quote(text)} follows an answer: write it into the same line, or put a blank line before the next question`;

/**
 * The row of a question that is read as a whole.
 * @param section the answer key at the end of the file
 */
export function rowOfDraft(
  draft: Draft,
  quiz: QuizOfRow | undefined,
  section?: AnswerSection['keys'],
): ImportRow {
  const { line, keys, options, style } = draft;
  const lines = readInline(draft);
  takeKeyOfSection(draft, lines, section);
  const text = lines.join('\n');
  const errors = [...draft.errors];
  const [left] = draft.trailing;
  if (left) errors.push(standsAfter(left.text));
  if (hasGap(text)) errors.push(GAP);
  const foreign = foreignLine(draft.text);
  if (foreign !== undefined && errors.length === 0)
    errors.push(
      `the line ${quote(foreign)} looks like another question: put a blank line before it, and mark the answers of both`,
    );
  const isAsked = style !== '' || text.endsWith('?');
  if (!isAsked && options.length + keys.length + errors.length === 0)
    return { line, note: `The text ${quote(text)} has no answers and is ignored.` };
  // "Q: … A: …"
  const [only] = options;
  if (style === 'Q' && options.length === 1 && only?.mark.style === 'A:' && keys.length === 0) {
    keys.push(only.text);
    options.length = 0;
  }
  const about = { text, explanation: draft.explanation.join('\n') };
  const answers =
    options.length > 0 ? { answers: markedOptions(draft, errors) } : writtenAnswers(text, keys);
  const { notes = [], ...question } = { ...about, ...answers };
  return rowOf({ line }, question, { ...(quiz && { quiz }), errors, notes, unmarked: UNMARKED });
}

/** The answer that the key at the end of the file has for the number of the question. */
function takeKeyOfSection(
  { number, keys, options, errors }: Draft,
  lines: readonly string[],
  section?: AnswerSection['keys'],
): void {
  const key = number === undefined ? undefined : section?.get(number);
  if (key === undefined) return;
  if (key === null)
    errors.add(
      `the number ${number} occurs more than once in the questions or in the answer key: number both in order`,
    );
  else if (keys.length > 0) errors.add(MANY_KEYS);
  else if (options.length > 0 || !namesListed(key, lines)) keys.push(key);
}

/** Letters without a list name answers that were not recognised; F below a statement of one line is "false". */
const namesListed = (key: string, { length }: readonly string[]): boolean =>
  /^[a-h](?:\s?[,/&+]\s?[a-h])*$/i.test(key) && !(/^f$/i.test(key) && length === 1);

/** The answers of a question without a list: True and False, or what is accepted. */
function writtenAnswers(
  text: string,
  keys: readonly string[],
): { answers: AnswerInput[]; type?: 'OPEN_ENDED'; notes?: string[] } {
  const [key = '', ...others] = keys;
  const isAsked = text.endsWith('?');
  const isEnglish = /^(?:true|false)$/i.test(key);
  // Who asks for a word of another language gets it as it is.
  const isTruth = others.length === 0 && (isEnglish || key.length === 1 || !isAsked);
  const truth = isTruth ? truthOf(key) : undefined;
  if (truth) {
    const answers = ['True', 'False'].map((it) => ({ text: it, isCorrect: it === truth }));
    // It may be a symbol or a translation.
    const isSure = isEnglish || (key.length === 1 && !isAsked);
    return { answers, notes: isSure ? [] : [`The answer ${quote(key)} is read as ${truth}.`] };
  }
  const answers = keys.map((it) => ({ text: it, isCorrect: true }));
  return { answers, ...(keys.length > 0 && { type: 'OPEN_ENDED' }) };
}

/** The text without the options in its lines, which become options. */
function readInline(draft: Draft): string[] {
  const last = draft.text.at(-1) ?? '';
  const found = inlineOptions(last);
  if (!found) return draft.text;
  if (draft.options.length > 0) {
    draft.errors.add('answers are in the question and below it: write each into a line of its own');
    return draft.text;
  }
  const [text = '', ...options] = found;
  for (const [place, option] of options.entries()) {
    const mark: ListMark = { kind: 'letter', place, style: 'a)', text: option, marks: [] };
    draft.options.push({ ...markedAnswer(option), mark });
  }
  return [...draft.text.slice(0, -1), text].filter(Boolean);
}

/** The options with those that are correct, by their marks or by the key. Adds to `errors`. */
function markedOptions({ options, keys }: Draft, errors: string[]): AnswerInput[] {
  markTicked(options, errors);
  const contradiction = settleMarks(options, keys.length > 0);
  if (contradiction !== undefined && errors.length === 0) errors.push(contradiction);
  const areMarked = options.some(isMarked);
  // More are refused below. Without the limit each of 19,000 keys was compared with as many answers.
  const texts = options.map((option) => option.text).slice(0, MOST + 1);
  const chosen = new Set<number>();
  for (const key of keys.slice(0, MOST)) {
    const places = placesOf(key, texts, options[0]?.mark.kind === 'letter');
    if (typeof places === 'string') errors.push(places);
    else if (namesInitial(key, options.slice(0, MOST))) errors.push(mayBeInitial(key));
    else for (const place of places) chosen.add(place);
  }
  const isMisled = (option: Option, place: number) =>
    areMarked
      ? isMarked(option) !== chosen.has(place)
      : option.marks.includes('wrong') && chosen.has(place);
  if (chosen.size > 0 && options.some(isMisled))
    errors.push('the marks and the line "Answer:" name different answers: keep one of them');
  return options.map((option, place) => ({
    text: option.text,
    isCorrect: areMarked ? isMarked(option) : chosen.has(place),
  }));
}

/** A ticked box is a sign, and so is a star or a filled circle among other bullets. */
function markTicked(options: readonly Option[], errors: string[]): void {
  const isBox = ({ mark }: Option) => mark.kind === 'box';
  const isTicked = ({ mark }: Option) => mark.isTicked ?? /^[*●◉]/.test(mark.style);
  const ticked = options.filter(isTicked);
  if (ticked.length === 0 || (ticked.length === options.length && !ticked.some(isBox))) return;
  for (const box of options.filter(isBox)) ignoreEmphasis(box);
  const agrees = (option: Option) =>
    isMarked(option) === isTicked(option) || option.mark.isTicked === true;
  const isMixed = options.some(isMarked) && !options.every(agrees);
  if (isMixed && !errors.includes(MIXED_MARKS)) errors.push(MIXED_MARKS);
  for (const option of ticked) option.marks.unshift('sign');
}

/** Whether a letter may stand for an answer such as "B. Shaw" behind a bullet, which is not the second one. */
const namesInitial = (key: string, options: readonly Option[]): boolean =>
  /^[a-h](?:[\s,;]+[a-h])*$/i.test(key) &&
  options.some(({ text, mark }, place) => {
    const initial = mark.kind === 'bullet' && /^([A-H])\.\s/.exec(text)?.[1];
    return initial && initial !== letterOf(place) && key.toUpperCase().includes(initial);
  });

const mayBeInitial = (key: string): string =>
  `the key ${quote(key)} may be a letter of the list or the beginning of an answer: write the answer instead`;

/** The answers that a key names, also a letter with more text behind it: "B) Rome", "B. It is the capital." */
function placesOf(
  key: string,
  texts: readonly string[],
  areLettered: boolean,
): Set<number> | string {
  const places = byAnything(key, texts, 1);
  const [, letter, sign, more = ''] = /^\(?([a-h])([.):]|\s[-–—])?\s(.*)$/is.exec(key) ?? [];
  if (typeof places !== 'string' || letter === undefined || !areLettered) return places;
  const named = byAnything(letter, texts, 1);
  const byText = byAnything(more.trim(), texts, 1);
  if (typeof named === 'string' || typeof byText === 'string') return sign ? named : places;
  return [...byText].every((place) => named.has(place)) ? named : places;
}

/** Without the signs of what is bold: as a whole, or only its beginning. Of several bold parts, each keeps its signs. */
export function plain(text: string): string {
  const said = text.trim();
  return (
    insideBold(said) ??
    said.replace(/^\*\*(?!\s)([^*]{1,40})(?<!\s)\*\*((?:(?!\*\*).)*)$/s, '$1$2').trim()
  );
}
