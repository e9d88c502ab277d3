import { decodeHTML } from 'entities';
import { difficultyOf, rowOf } from '../draft';
import { FileFault } from '../file-fault';
import { readJsonFile } from './json-text';
import type { Bytes, ImportRow, Place } from '../row';
import { TextDecoding } from '../text-decoding';
import { quote } from '../words';

/**
 * Reads what Open Trivia DB answers (`api.php`): each question with its category and difficulty, HTML entities
 * decoded; answers in its `base64` and `url3986` encodings are recognised. Its lists of categories are as they
 * are: `Entertainment: Video Games`. The correct answer stands apart there; here the answers are sorted, so
 * that its place tells nothing. @throws FileFault
 */
export async function* readOpenTriviaDb(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const { value, lines } = await readJsonFile(bytes, decoding);
  const { results, response_code } = (value ?? {}) as {
    results?: unknown;
    response_code?: unknown;
  };
  if (!Array.isArray(results))
    throw new FileFault(
      1,
      'The file is JSON but no answer of Open Trivia DB: "results" is missing. For other JSON use the format json.',
    );
  if (results.length === 0)
    yield {
      line: 1,
      fault: `Open Trivia DB gave no questions${typeof response_code === 'number' ? ` (response code ${response_code})` : ''}: ask it again, for fewer or with a new token.`,
    };
  const decode = decoderFor(results);
  for (const [i, result] of results.entries()) {
    const path = `results[${i}]`;
    yield rowFrom({ line: lines.of(path), path }, result, decode);
  }
  yield* decoding.notes();
}

type Decode = (text: string) => string;

function rowFrom(place: Place, result: unknown, decode: Decode): ImportRow {
  const item = (typeof result === 'object' && result !== null ? result : {}) as Record<
    string,
    unknown
  >;
  const text = (name: string): string => {
    const value = item[name];
    return typeof value === 'string' ? decode(value) : '';
  };
  const wrong = Array.isArray(item.incorrect_answers) ? item.incorrect_answers : [];
  const isReadable =
    ['question', 'correct_answer'].every((name) => typeof item[name] === 'string') &&
    wrong.every((answer) => typeof answer === 'string');
  if (!isReadable)
    return {
      ...place,
      fault:
        'A question needs "question", "correct_answer" and "incorrect_answers", all of them text: fetch it again.',
    };
  const answers = [
    { text: text('correct_answer'), isCorrect: true },
    ...wrong.map((answer: string) => ({ text: decode(answer), isCorrect: false })),
  ].sort((a, b) => order.compare(a.text, b.text));
  const isBoolean = text('type') === 'boolean';
  // True before False, as everywhere.
  if (isBoolean) answers.reverse();
  const difficulty = difficultyOf(text('difficulty'));
  const category = text('category').trim();
  const notes =
    !difficulty && text('difficulty')
      ? [`The difficulty ${quote(text('difficulty'))} is unknown here and is left out.`]
      : [];
  return rowOf(
    place,
    {
      text: text('question'),
      type: isBoolean ? 'TRUE_FALSE' : 'MULTIPLE_CHOICE',
      answers,
      ...(difficulty && { difficulty }),
    },
    { notes, ...(category && { quiz: { key: `category:${category}`, category } }) },
  );
}

const order = new Intl.Collator('en', { numeric: true });

/** Entities, unless every `type` is one of its two words in Base64, or texts are in percent signs. */
function decoderFor(results: readonly unknown[]): Decode {
  const items = results as ({ type?: unknown; question?: unknown } | null)[];
  const all = (is: (item: { type?: unknown; question?: unknown }) => boolean) =>
    items.length > 0 && items.every((item) => item !== null && is(item));
  if (all(({ type }) => type === 'bXVsdGlwbGU=' || type === 'Ym9vbGVhbg=='))
    return (text) => Buffer.from(text, 'base64').toString('utf8');
  const isPercentEncoded = ({ question }: { question?: unknown }): boolean =>
    typeof question === 'string' && /^(?:[\w.~!*'()-]|%[\da-f]{2})+$/i.test(question);
  if (all(isPercentEncoded) && items.some((item) => String(item?.question).includes('%20')))
    return percentDecoded;
  return (text) => decodeHTML(text);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
