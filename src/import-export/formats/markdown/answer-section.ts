import { MEBIBYTE } from '../../../platform/sizes';
import { type Bytes, FileError } from '../row';
import { markedAnswer } from '../text/answer-marks';
import { inlineOptions } from '../text/list-marks';
import { TextDecoding } from '../text/text-decoding';
import { textLines } from '../text/text-lines';
import { words } from '../words';

/** The answer key at the end of a test on paper. */
export interface AnswerSection {
  /** Its first line. */
  line: number;
  /** By the numbers of the questions; null: the key has several answers for the number. */
  keys: Map<number, string | null>;
}

/** "Answer key", "## Answers", "**Lösungen:**", also with answers behind it. */
const [CORRECT, ANSWERS] = [words('correct', 'right'), words('answers')];
const TITLE = new RegExp(
  String.raw`^(?:#{1,6}\s)?(?:\*\*|__)?(?:${ANSWERS}\s${CORRECT}|${CORRECT}?\s?${ANSWERS}|${words('solutions')}|answer\s?keys?|lösungsschlüssel|corrigé|clave(?: correctas| de respuestas)?|klucz(?: odpowiedzi)?)\s?:?(?:\*\*|__)?:?(?:\s(.*))?$`,
  'is',
);

/** "1. B", "1-B 2-C", "1) b, 2) c", "1: A, C". */
const LETTERS =
  /\(?(\d{1,4})\s?[.):=\-–—]?\s?\(?([a-h](?:\s?[,/&+]\s?[a-h])*)\b[.)]?(?:[,;\s]{1,20}|$)/giy;
/** "1. Rome", "Question 2: B) Rome". */
const ONE = new RegExp(
  String.raw`^\(?(?:(?:${words('question')}|q)\s?)?(\d{1,4})\s?[.):=\-–—\s](.{1,200})$`,
  'is',
);
/** In "1. T 2. F" the next answer follows, so that none of them is known. */
const FURTHER = /\s\(?(\d{1,4})\s?[.):=\-–—]\s?\p{L}/gu;
/** "B", "B) Rome" and "B Rome", but neither "A dog" nor "D'Artagnan". */
const NAMES_LETTER = /^\(?(?:[b-h](?=\s)|[a-h](?=$|\s?[,/&+.):\-–—]))/i;
const LONGEST_LINE = 2_000;
/** Characters in which a key is looked for: a test on paper has fewer, and a long file is read once only. */
const LONGEST_TEST = MEBIBYTE;

type Answer = [number: number, key: string];

/** The answers of a line of the key; undefined for another line. */
function answersIn(line: string): Answer[] | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  const said = line.replaceAll('**', '').replace(/^[-*+]\s/, '');
  const answers: Answer[] = [];
  let end = 0;
  for (const [whole, number, key = ''] of said.matchAll(LETTERS)) {
    answers.push([Number(number), key]);
    end += whole.length;
  }
  if (answers.length > 0 && end === said.length) return answers;
  const [, number, key = ''] = ONE.exec(said) ?? [];
  if (number === undefined) return undefined;
  const next = Number(number) + 1;
  if ([...key.matchAll(FURTHER)].some(([, further]) => Number(further) === next)) return undefined;
  // A question, or an answer to choose from: "1. Rome *".
  const isOther =
    key.endsWith('?') || inlineOptions(key) !== null || markedAnswer(key).marks.includes('sign');
  return isOther ? undefined : [[Number(number), key.trim()]];
}

/**
 * The key that a file ends with; undefined without one, where several titles of one leave open which, and in a file above
 * 1 MiB.
 */
export async function answerSection(bytes: Bytes): Promise<AnswerSection | undefined> {
  let found: { line: number; answers: Answer[] } | undefined;
  let isFirst = true;
  let titles = 0;
  let read = 0;
  try {
    for await (const lines of textLines(bytes, new TextDecoding()))
      for (const { line, text } of lines) {
        if ((read += text.length + 1) > LONGEST_TEST) return undefined;
        const said = text.trim();
        if (!said || /^(?:-{3,}|\*{3,}|_{3,})$/.test(said)) continue;
        const title = isFirst ? null : TITLE.exec(said);
        isFirst = false;
        if (title && !title[1] && (titles += 1) > 1) return undefined;
        if (!title && !found) continue;
        const behind = title ? (title[1] ?? '') : said;
        const answers = behind ? answersIn(behind) : [];
        // "Answers: 1. B" belongs to one question.
        const isPart = answers && (!title || answers.length !== 1);
        if (!isPart) found = undefined;
        else if (title) found = { line, answers };
        else for (const answer of answers) found?.answers.push(answer);
      }
  } catch (error) {
    // It is reported where the questions are read.
    if (!(error instanceof FileError)) throw error;
    return undefined;
  }
  // Without letters they may be the answers to choose from of the last question.
  if (!found?.answers.some(([, key]) => NAMES_LETTER.test(key))) return undefined;
  const keys = new Map<number, string | null>();
  for (const [number, key] of found.answers) keys.set(number, keys.has(number) ? null : key);
  return { line: found.line, keys };
}
