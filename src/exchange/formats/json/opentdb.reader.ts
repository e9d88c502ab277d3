import { decodeHTML } from 'entities';
import { difficultyOf, rowOf } from '../draft';
import { FileFault } from '../file-fault';
import { elementsOf, readOutline } from './json-file';
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
  const guesses = new Map<number, EncodingGuess>();
  const outline = await readOutline(bytes, decoding, (result, list) => {
    const guess = guesses.get(list) ?? new EncodingGuess();
    guesses.set(list, guess);
    guess.look(result);
  });
  const { results, response_code } = (outline.value ?? {}) as {
    results?: unknown;
    response_code?: unknown;
  };
  if (!Array.isArray(results))
    throw new FileFault(
      1,
      'The file is JSON but no answer of Open Trivia DB: "results" is missing. For other JSON use the format json.',
    );
  // In the outline a list holds its number.
  const list = Number(results[0]);
  if (outline.lists[list]?.count === 0)
    yield {
      line: 1,
      fault: `Open Trivia DB gave no questions${typeof response_code === 'number' ? ` (response code ${response_code})` : ''}: ask it again, for fewer or with a new token.`,
    };
  const decode = (guesses.get(list) ?? new EncodingGuess()).decoder();
  for await (const { value, line, path } of elementsOf(bytes, new TextDecoding(), list))
    yield rowFrom({ line, path }, value, decode);
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
class EncodingGuess {
  private isBase64 = true;
  private isPercent = true;
  private hasBlanks = false;

  look(result: unknown): void {
    const { type, question } = (result ?? {}) as { type?: unknown; question?: unknown };
    this.isBase64 &&= type === 'bXVsdGlwbGU=' || type === 'Ym9vbGVhbg==';
    const text = typeof question === 'string' ? question : '';
    this.isPercent &&= /^(?:[\w.~!*'()-]|%[\da-f]{2})+$/i.test(text);
    this.hasBlanks ||= text.includes('%20');
  }

  decoder(): Decode {
    if (this.isBase64) return (text) => Buffer.from(text, 'base64').toString('utf8');
    return this.isPercent && this.hasBlanks ? percentDecoded : (text) => decodeHTML(text);
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
