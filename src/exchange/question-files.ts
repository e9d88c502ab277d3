import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { BatchQuestionInput } from '../authoring/batch-import.request';
import { fingerprint } from '../authoring/question.rules';
import type { Difficulty } from '../catalog/vocabulary';
import { Invalid } from '../platform/domain-errors';
import { readBody } from '../platform/http/validation.pipe';
import { readOpenTriviaQa } from './opentriviaqa';

/** A question of a file that the API would take. */
export interface FileRow {
  line: number;
  question: BatchQuestionInput;
  fingerprint: string;
}

/** A row that is not imported: where it stands and what to do about it. */
export interface SkippedRow {
  file: string;
  line: number;
  reason: string;
}

export interface ReadFiles {
  files: { file: string; category: string; rows: FileRow[] }[];
  skipped: SkippedRow[];
  /** How many questions came again in the same files. */
  repeated: number;
}

/**
 * Reads all files before anything is written: a misspelt name should not leave half an import behind.
 * @throws Invalid when a file cannot be read
 */
export async function readQuestionFiles(
  files: readonly string[],
  difficulty: Difficulty,
): Promise<ReadFiles> {
  const read: ReadFiles = { files: [], skipped: [], repeated: 0 };
  const seen = new Set<string>();
  for (const file of files) {
    const rows: FileRow[] = [];
    for (const row of readOpenTriviaQa(await contentOf(file))) {
      const question = 'fault' in row ? row.fault : check({ ...row.question, difficulty });
      if (typeof question === 'string') {
        read.skipped.push({ file, line: row.line, reason: question });
        continue;
      }
      const print = fingerprint(question);
      if (seen.has(print)) read.repeated += 1;
      else rows.push({ line: row.line, question, fingerprint: print });
      seen.add(print);
    }
    read.files.push({ file, category: categoryOf(file), rows });
  }
  return read;
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? message})`;
    throw new Invalid('The import', [{ path: file, message: reason, code: 'file' }]);
  }
}

/** The question as the API would take it, or what the API would say against it. */
function check(question: object): BatchQuestionInput | string {
  try {
    return readBody(BatchQuestionInput, question);
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
