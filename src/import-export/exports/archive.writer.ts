import type { EntityManager } from 'typeorm';
import {
  type AfterQuiz,
  findNextStoredQuiz,
  type StoredQuizRow,
} from '../../catalog/quizzes/archived-quizzes.queries';
import type { StoredQuestion } from '../../catalog/quizzes/quizzes.dto';
import type { Attribution } from '../../catalog/quizzes/quizzes.service';
import type { Difficulty } from '../../catalog/vocabulary';
import {
  findNextPicture,
  findPictureNames,
  hasMediaTable,
} from '../../media/archived-pictures.queries';
import { pictureIdsIn, replacePictures } from '../../media/references.rules';
import { exportResults } from '../../play/archive/results-export';
import {
  ARCHIVE_MARK,
  MANIFEST,
  pictureFile,
  quizFile,
  resultsFile,
} from '../formats/archive/archive.reader';
import { writeJson } from '../formats/json/json';
import type { ExportedQuiz, KeptOfQuiz } from '../formats/row';
import { writeZip, type ZipEntry } from '../formats/zip/zip-writer';
import { toExportedQuiz } from './exported-quiz';

/**
 * The archive of an account as it is written: its quizzes with everything in them, and their results. Equal content makes
 * equal bytes, wherever it is stored. It reads one quiz at a time, and also the schema of earlier versions.
 */
export const writeArchive = (
  database: EntityManager,
  accountId: string,
): AsyncGenerator<Uint8Array> => writeZip(entriesOf(database, accountId));

async function* entriesOf(database: EntityManager, accountId: string): AsyncGenerator<ZipEntry> {
  yield { name: MANIFEST, content: [ARCHIVE_MARK], isStored: true };
  const pictures = new Pictures(database, accountId, await hasMediaTable(database));
  let after: AfterQuiz = { createdAt: '-infinity', slug: '' };
  for (let number = 1; ; number++) {
    const found = await findNextStoredQuiz(database, accountId, after);
    if (!found) break;
    const { id, slug, created_at: createdAt } = found.quiz as Record<string, string>;
    after = { createdAt: createdAt ?? '', slug: slug ?? '' };
    const name = `${String(number).padStart(5, '0')}-${slug ?? ''}`;
    const questions = questionsOf(found);
    const quiz = await pictures.named(quizOf(found, questions));
    yield { name: quizFile(name), content: writeJson(quiz) };
    const results = exportResults(database, id ?? '', questions);
    const first = await results.next();
    if (!first.done)
      yield { name: resultsFile(name), content: jsonLines(pictures, first.value, results) };
  }
  yield* pictures.entries();
}

const questionsOf = ({ questions }: StoredQuizRow): StoredQuestion[] =>
  questions as unknown as StoredQuestion[];

function quizOf(
  { quiz, questions: rows }: StoredQuizRow,
  questions: StoredQuestion[],
): ExportedQuiz {
  const row = quiz as unknown as RowOfQuiz;
  const attributions = rows.map(({ id, source, licence }): [string, Attribution] => [
    String(id),
    {
      ...(source !== null && { source: source as string }),
      ...(licence !== null && { licence: licence as string }),
    },
  ]);
  const rules = {
    timeLimit: row.time_limit,
    maxAttempts: row.max_attempts,
    acceptTypos: row.accept_typos,
    questionsPerAttempt: row.questions_per_attempt,
  };
  const whole = toExportedQuiz({ ...row, ...rules, questions }, new Map(attributions));
  return { ...whole, kept: keptOf(row) };
}

/** Columns of `quizzes`. Those that came after the first release may be missing. */
interface RowOfQuiz {
  slug: string;
  title: string;
  description: string | null;
  category: string | null;
  difficulty: Difficulty;
  tags: string[];
  language?: string | null;
  published: boolean;
  featured: boolean;
  written_by: string | null;
  created_at: string;
  time_limit: number | null;
  max_attempts: number | null;
  questions_per_attempt?: number | null;
  accept_typos?: boolean;
}

const keptOf = (row: RowOfQuiz): KeptOfQuiz => ({
  slug: row.slug,
  createdAt: new Date(row.created_at).toISOString(),
  published: row.published,
  featured: row.featured,
  ...(row.written_by !== null && { writtenBy: row.written_by }),
});

async function* jsonLines(
  pictures: Pictures,
  first: object,
  others: AsyncIterable<object>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(await pictures.named(first))}\n`;
  for await (const line of others) yield `${JSON.stringify(await pictures.named(line))}\n`;
}

/** Pictures of the account: their ids belong to this deployment, so texts of an archive name them by their content. */
class Pictures {
  constructor(
    private readonly database: EntityManager,
    private readonly accountId: string,
    private readonly areThere: boolean,
  ) {}

  /** The value with names in place of ids. */
  async named<T extends object>(value: T): Promise<T> {
    const ids = this.areThere ? pictureIdsIn(value) : [];
    if (ids.length === 0) return value;
    const names = await findPictureNames(this.database, this.accountId, ids);
    // A copy: results that follow are read from the same questions.
    return replacePictures(structuredClone(value), names);
  }

  async *entries(): AsyncGenerator<ZipEntry> {
    if (!this.areThere) return;
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const found = await findNextPicture(this.database, this.accountId, after);
      if (!found) return;
      after = found.sha256;
      const name = pictureFile(found.name, found.type);
      yield { name, content: [found.content], isStored: true };
    }
  }
}
