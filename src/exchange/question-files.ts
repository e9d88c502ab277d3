import { open, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { BatchQuestionInput } from '../authoring/batch-import.request';
import { fingerprint } from '../authoring/question.rules';
import type { Difficulty } from '../catalog/vocabulary';
import { Invalid } from '../platform/domain-errors';
import { readBody } from '../platform/http/validation.pipe';
import type { FormatName } from './formats/formats';
import { readRows } from './formats/read-rows';
import type { Place, QuizOfRow } from './formats/row';

/** A question of a file that the API would take. */
export interface FileRow {
  line: number;
  question: BatchQuestionInput;
  fingerprint: string;
}

/** What is said of a row: where it stands, and why it is not imported or what of it is not kept. */
export interface RowReport {
  file: string;
  line: number;
  /** Where the line is not enough: `questions[3]`, `question 4`. */
  path?: string;
  reason: string;
}

/** The rows of one quiz or one category of a file. */
export interface FilePart {
  file: string;
  format: FormatName | undefined;
  category: string | undefined;
  /** As far as the file tells of it. */
  quiz: QuizOfRow | undefined;
  rows: FileRow[];
}

export interface ReadFiles {
  parts: FilePart[];
  skipped: RowReport[];
  notes: RowReport[];
  /** How many questions came again in the same files. */
  repeated: number;
}

/**
 * Reads all files before anything is written: a misspelt name should not leave half an import behind.
 * @param format recognised from each file's content when it is not given
 * @throws Invalid when a file cannot be read, or not to its end
 */
export async function readQuestionFiles(
  files: readonly string[],
  { difficulty, format }: { difficulty: Difficulty; format?: FormatName },
): Promise<ReadFiles> {
  const read: ReadFiles = { parts: [], skipped: [], notes: [], repeated: 0 };
  const seen = new Set<string>();
  for (const file of files) {
    const parts = new Map<string, FilePart>();
    const handle = await openFile(file);
    const { format: found, rows } = await readRows(handle.createReadStream(), format);
    for await (const row of rows) {
      const say = (reason: string): RowReport => ({ file, ...placeOf(row), reason });
      if ('note' in row) {
        read.notes.push(say(row.note));
        continue;
      }
      if ('fault' in row && row.fatal) throw unreadable(file, row.fault, row);
      const question = 'fault' in row ? row.fault : check(difficulty, row.question);
      if ('fault' in row || typeof question === 'string') {
        read.skipped.push(say(question as string));
        continue;
      }
      for (const note of row.notes ?? []) read.notes.push(say(note));
      const { quiz } = row;
      const part = parts.get(quiz?.key ?? '') ?? {
        file,
        format: found,
        category: quiz ? quiz.category : categoryOf(file),
        quiz,
        rows: [],
      };
      parts.set(quiz?.key ?? '', part);
      const print = fingerprint(question);
      if (seen.has(print)) read.repeated += 1;
      else part.rows.push({ line: row.line, question, fingerprint: print });
      seen.add(print);
    }
    const none = { file, format: found, category: categoryOf(file), quiz: undefined, rows: [] };
    read.parts.push(...(parts.size > 0 ? parts.values() : [none]));
  }
  return read;
}

const placeOf = ({ line, path }: Place): Place => ({ line, ...(path && { path }) });

async function openFile(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(
      file,
      code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? message})`,
    );
  }
  throw unreadable(file, 'it is not a file');
}

function unreadable(file: string, message: string, place?: Place): Invalid {
  const path = place ? `${file}:${place.line}` : file;
  return new Invalid('The import', [{ path, message: message.replace(/\.$/, ''), code: 'file' }]);
}

/** The question as the API would take it, or what the API would say against it. */
function check(difficulty: Difficulty, question: object): BatchQuestionInput | string {
  try {
    return readBody(BatchQuestionInput, { difficulty, ...question });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return (error.details ?? []).map(({ message }) => message).join('; ');
  }
}

/** `religion-faith` is the category "Religion & Faith". */
function categoryOf(file: string): string {
  const words = basename(file)
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/^(science)-(technology)$|^(religion)-(faith)$/, '$1$3 & $2$4')
    .replace(/[-_]+/g, ' ');
  return words.replace(/(^|\s)\p{L}/gu, (initial) => initial.toUpperCase());
}
