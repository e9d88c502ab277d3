import { quizOfExtras } from '../extras';
import { giftRow } from './gift-question';
import type { Bytes, ImportRow, Place, QuizOfRow } from '../row';
import { TextDecoding } from '../text-decoding';
import { textLines, type Line } from '../text-lines';
import { categoryOfPath } from '../category-path';

/** The parser's time grows with the square of a question's length in some faults; a chapter is no question. */
const LONGEST_QUESTION = 64 * 1024;
const CATEGORY = /^\s*\$CATEGORY:\s*(.*?)\s*$/s;
const COMMENT = /^\s*\/\/\s?(.*)$/s;

/** The lines of one question, and the comments above or among them. */
interface Block {
  lines: Line[];
  comments: string[];
  length: number;
}

/** Reads GIFT question by question; they stand apart by blank lines. */
export async function* readGift(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const file = new GiftFile();
  for await (const lines of textLines(bytes, decoding))
    for (const line of lines) yield* file.take(line);
  yield* file.end();
  yield* decoding.notes();
}

class GiftFile {
  private block: Block = { lines: [], comments: [], length: 0 };
  private quiz: QuizOfRow | undefined;
  private number = 0;

  *take(line: Line): Generator<ImportRow> {
    const category = CATEGORY.exec(line.text)?.[1];
    const comment = COMMENT.exec(line.text)?.[1];
    if (category !== undefined) {
      yield* this.end();
      yield* this.enter(category, line.line);
    } else if (comment !== undefined) {
      this.block.comments.push(comment);
    } else if (line.text.trim()) {
      this.block.lines.push(line);
      this.block.length += line.text.length;
    } else yield* this.end();
  }

  *end(): Generator<ImportRow> {
    const { lines, comments, length } = this.block;
    const [first] = lines;
    // A comment that stands alone is of the file, not of a question; but a blank line may follow it.
    this.block = { lines: [], comments: [], length: 0 };
    if (!first) {
      for (const comment of comments) this.quiz = quizOfExtras(comment, 'quiz') ?? this.quiz;
      return;
    }
    this.number += 1;
    const place: Place = { line: first.line, path: `question ${this.number}` };
    if (length > LONGEST_QUESTION)
      yield {
        ...place,
        fault: `The question is longer than ${LONGEST_QUESTION / 1024} KiB: put a blank line after each question.`,
      };
    else yield giftRow(place, lines, comments, this.quiz);
  }

  private *enter(path: string, line: number): Generator<ImportRow> {
    // A whole quiz has said its category before.
    if (this.quiz?.title && this.quiz.category) return;
    const { category, note } = categoryOfPath(path);
    if (note) yield { line, note };
    this.quiz = category ? { key: `category:${path}`, category } : undefined;
  }
}
