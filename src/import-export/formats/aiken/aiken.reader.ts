import { rowOf } from '../parsed-question';
import { type Bytes, type ImportRow, quote } from '../row';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW, textLines, tooLarge } from '../text/text-lines';

const OPTION = /^\s*([A-Z])[.)](\s.*|)$/s;
/** "A)Paris", which Moodle reads. */
const TIGHT_OPTION = /^\s*([A-Z])[.)](.+)$/s;
const ANSWER = /^\s*ANSWER\s*:(.*)$/is;

interface RawRow {
  line: number;
  /** In characters. */
  size: number;
  text: string[];
  options: { letter: string; text: string }[];
}

/**
 * Reads Aiken: the question, options as "A. Paris" or "A) Paris", then "ANSWER: A" (or, as an extension, "ANSWER: A,
 * C"). The question may have several lines. Every line ends up in a row.
 */
export async function* readAiken(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  let row: RawRow | undefined;
  for await (const lines of textLines(bytes, decoding)) {
    for (const { line, text } of lines) {
      if (!text.trim()) continue;
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
      } else {
        if (row) yield finish(row);
        row = { line, size: text.length, text: [], options: [] };
        if (letter === undefined) row.text.push(text.trim());
        else row.options.push({ letter, text: option });
      }
    }
  }
  if (row) yield finish(row);
  yield* decoding.notes();
}

/** Only if its letter is expected: a question may begin "A.D. 79". */
function tightOption(text: string, row: RawRow | undefined): RegExpExecArray | null {
  const found = TIGHT_OPTION.exec(text);
  const due = row && row.text.length > 0 && String.fromCharCode(65 + row.options.length);
  return found?.[1] === due ? found : null;
}

function finish(row: RawRow, answer?: string): ImportRow {
  const letters = (answer ?? '')
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter(Boolean);
  const errors: string[] = [];
  if (answer === undefined)
    errors.push('no line names the correct answer: put "ANSWER: A" after the options');
  for (const [i, { letter }] of row.options.entries()) {
    const due = String.fromCharCode(65 + i);
    if (letter !== due) {
      errors.push(`option ${letter} found where ${due} is expected: letter the options A, B, C…`);
      break;
    }
  }
  for (const letter of letters)
    if (!row.options.some((option) => option.letter === letter))
      errors.push(
        `"ANSWER: ${letter.slice(0, 20)}" does not name an option: write the letter of one`,
      );
  const draft = {
    text: row.text.join('\n'),
    answers: row.options.map(({ letter, text }) => ({ text, isCorrect: letters.includes(letter) })),
  };
  // An error that no answer is correct would only repeat the error in the "ANSWER" line.
  if (errors.length > 0 && draft.answers[0] && !draft.answers.some(({ isCorrect }) => isCorrect))
    draft.answers[0].isCorrect = true;
  return rowOf({ line: row.line }, draft, { errors });
}

const strayAnswer = (text: string): string =>
  `The line ${quote(text)} belongs to no question: write the question and its options before it.`;
