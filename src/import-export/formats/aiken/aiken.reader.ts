import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { rowOf } from '../parsed-question';
import { type Bytes, type ImportRow, quote } from '../row';
import { ignoreEmphasis, isMarked, markedAnswer, settleMarks } from '../text/answer-marks';
import { letterOf } from '../text/letters';
import { foreignLine, inlineOptions, plainTicks, strayMark } from '../text/list-marks';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW, textLines, tooLarge } from '../text/text-lines';

const OPTION = /^\s*([A-Z])[.)](\s.*|)$/s;
/** "A)Paris", which Moodle reads. */
const TIGHT_OPTION = /^\s*([A-Z])[.)](.+)$/s;
const ANSWER = /^\s*ANSWER\s*:(.*)$/is;

/** Before a question. */
const NUMBER = /^\d{1,4}[.)]\s+/;

interface RawRow {
  line: number;
  /** In characters. */
  size: number;
  text: string[];
  options: { letter: string; text: string }[];
  /** Lines that look like options or numbers, among the options. */
  strange: string[];
}

/**
 * Reads Aiken: the question, options as "A. Paris" or "A) Paris", then "ANSWER: A" (or, as an extension, "ANSWER: A,
 * C", or a "*" at the correct option). The question may have several lines. Every line ends up in a row, and a line
 * that may belong to another question makes an error of it.
 */
export async function* readAiken(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  let row: RawRow | undefined;
  let isAfterGap = false;
  for await (const lines of textLines(bytes, decoding)) {
    for (const { line, text } of lines) {
      if (!text.trim()) {
        isAfterGap = true;
        continue;
      }
      // A question without options ends at a blank line: the next text is another question.
      if (
        row &&
        isAfterGap &&
        (row.options.length === 0 || !isOption(text, row)) &&
        !ANSWER.test(text)
      ) {
        yield finish(row);
        row = undefined;
      }
      isAfterGap = false;
      const answer = ANSWER.exec(text);
      if (answer) {
        yield row ? finish(row, answer[1] ?? '') : { line, error: strayAnswer(text) };
        row = undefined;
        continue;
      }
      if (row && (row.size += text.length + 1) > LARGEST_ROW) throw tooLarge(row.line);
      const [, letter, option = ''] = OPTION.exec(text) ?? tightOption(text, row) ?? [];
      if (letter !== undefined && row) {
        row.options.push({ letter, text: option });
      } else if (row && row.options.length === 0) {
        row.text.push(text.trim());
      } else if (row && looksListed(text)) {
        row.strange.push(text);
      } else {
        if (row) yield finish(row);
        row = { line, size: text.length, text: [], options: [], strange: [] };
        if (letter === undefined) row.text.push(text.trim().replace(NUMBER, ''));
        else row.options.push({ letter, text: option });
      }
    }
  }
  if (row) yield finish(row);
  yield* decoding.notes();
}

const isOption = (text: string, row: RawRow): boolean =>
  (OPTION.exec(text) ?? tightOption(text, row)) !== null;

/** An option in another form; a number begins the next question. */
const looksListed = (text: string): boolean => {
  const mark = strayMark(text.trim());
  return mark !== null && mark.kind !== 'number';
};

/** Only if its letter is expected: a question may begin "A.D. 79". */
function tightOption(text: string, row: RawRow | undefined): RegExpExecArray | null {
  const found = TIGHT_OPTION.exec(text);
  const due = row && row.text.length > 0 && letterOf(row.options.length);
  return found?.[1] === due ? found : null;
}

function finish(row: RawRow, answer?: string): ImportRow {
  const letters = new Set((answer ?? '').toUpperCase().match(/[^\s,;]+/g));
  const named = new Set(row.options.map(({ letter }) => letter));
  const errors: string[] = [];
  const answers = row.options.map(({ text }) => markedAnswer(plainTicks(text)));
  // Beside a line that names the correct answer, bold is no mark.
  if (answer !== undefined) answers.forEach(ignoreEmphasis);
  const contradiction = settleMarks(answers, answer !== undefined);
  if (contradiction !== undefined) errors.push(contradiction);
  const areMarked = answers.some(isMarked);
  const foreign = row.strange[0] ?? foreignLine(row.text) ?? inlineIn(row);
  if (foreign !== undefined)
    errors.push(
      `the line ${quote(foreign)} looks like an option or another question: write options as "A. …", and end each question with "ANSWER: A"`,
    );
  if (answer === undefined && !areMarked)
    errors.push('no line names the correct answer: put "ANSWER: A" after the options');
  for (const [i, { letter }] of row.options.entries()) {
    const due = letterOf(i);
    if (letter !== due) {
      errors.push(`option ${letter} found where ${due} is expected: letter the options A, B, C…`);
      break;
    }
  }
  for (const letter of letters)
    if (!named.has(letter))
      errors.push(
        `"ANSWER: ${letter.slice(0, 20)}" does not name an option: write the letter of one`,
      );
  const draft = {
    text: row.text.join('\n'),
    answers: row.options.map(({ letter }, place) => ({
      text: answers[place]!.text,
      isCorrect: answer === undefined ? isMarked(answers[place]!) : letters.has(letter),
    })),
  };
  const isMisled = ({ isCorrect }: AnswerInput, place: number) =>
    areMarked
      ? isCorrect !== isMarked(answers[place]!)
      : isCorrect && answers[place]!.marks.includes('wrong');
  if (draft.answers.some(isMisled))
    errors.push('the mark at an option and the line "ANSWER:" differ: keep one of them');
  // An error that no answer is correct would only repeat the error in the "ANSWER" line.
  if (errors.length > 0 && draft.answers[0] && !draft.answers.some(({ isCorrect }) => isCorrect))
    draft.answers[0].isCorrect = true;
  return rowOf({ line: row.line }, draft, { errors });
}

/** A line with several options, which only look like one. */
const inlineIn = ({ text, options }: RawRow): string | undefined =>
  text.find((line) => inlineOptions(line) !== null) ??
  options.find((option, place) => inlineOptions(option.text, place + 1, 1) !== null)?.text;

const strayAnswer = (text: string): string =>
  `The line ${quote(text)} belongs to no question: write the question and its options before it.`;
