import { quizOfMetadata } from '../metadata';
import { giftRow } from './gift-question';
import type { Bytes, ImportRow, Place, QuizOfRow } from '../row';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW, textLines, tooLarge, type Line } from '../text/text-lines';
import { categoryOfPath } from '../category-path';

/** The parser's time grows with the square of a question's length in some errors; a chapter is no question. */
const LONGEST_QUESTION = 64 * 1024;
const CATEGORY = /^\s*\$CATEGORY:(.*)$/s;
const COMMENT = /^\s*\/\/\s?(.*)$/s;

/** The lines of one question, and the comments above or among them that readers heed. */
interface Block {
  lines: Line[];
  comments: string[];
  length: number;
}

/** Reads GIFT question by question; they stand apart by blank lines. @throws FileError */
export async function* readGift(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  const file = new GiftFile();
  for await (const lines of textLines(bytes, decoding))
    for (const line of lines) {
      file.take(line);
      if (file.rows.length > 0) yield* file.rows.splice(0);
    }
  file.end();
  yield* file.rows;
  yield* decoding.notes();
}

class GiftFile {
  /** Finished, and not yet handed over. */
  readonly rows: ImportRow[] = [];
  private block: Block = { lines: [], comments: [], length: 0 };
  private quiz: QuizOfRow | undefined;
  private number = 0;

  take(line: Line): void {
    const category = CATEGORY.exec(line.text)?.[1]?.trim();
    const comment = COMMENT.exec(line.text)?.[1];
    const { block } = this;
    if (category !== undefined) {
      this.end();
      this.enter(category, line.line);
    } else if (comment !== undefined) {
      // Ours are JSON; what other comments say is for people.
      if (/^\{|\[tag:/.test(comment) && block.comments.length < 10) block.comments.push(comment);
    } else if (line.text.trim()) {
      block.lines.push(line);
      if ((block.length += line.text.length + 1) > LARGEST_ROW)
        throw tooLarge(block.lines[0]?.line ?? line.line);
    } else this.end();
  }

  /** The question is complete. */
  end(): void {
    const { lines, comments, length } = this.block;
    if (lines.length + comments.length === 0) return;
    this.block = { lines: [], comments: [], length: 0 };
    for (const comment of comments) this.quiz = quizOfMetadata(comment, 'quiz') ?? this.quiz;
    const [first] = lines;
    if (!first) return;
    this.number += 1;
    const place: Place = { line: first.line, path: `question ${this.number}` };
    this.rows.push(
      length > LONGEST_QUESTION
        ? {
            ...place,
            error: `The question is longer than ${LONGEST_QUESTION / 1024} KiB: put a blank line after each question.`,
          }
        : giftRow(place, lines, comments, this.quiz),
    );
  }

  private enter(path: string, line: number): void {
    // A whole quiz has said its category before.
    if (this.quiz?.title && this.quiz.category) return;
    const { category, note } = categoryOfPath(path);
    if (note) this.rows.push({ line, note });
    this.quiz = category ? { key: `category:${path}`, category } : undefined;
  }
}
