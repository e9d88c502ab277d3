import type {
  Difficulty,
  QuestionFormat,
  QuestionType,
  RulesOfPlay,
} from '../../catalog/vocabulary';

/** A question as a file has it, in our terms. The rules of a batch import apply (contract). */
export interface ImportedQuestion {
  /** Trimmed and not blank; a question of several lines (verse, dialogue) keeps its "\n". */
  text: string;
  type: QuestionType;
  /** Absent if the file has none: the import has a default. */
  difficulty?: Difficulty;
  /** Absent: plain. */
  format?: QuestionFormat;
  explanation?: string;
  /** In the file's order, no two the same: at least two, or one accepted answer for OPEN_ENDED. */
  answers: { text: string; isCorrect: boolean }[];
  /** The question's source and licence. */
  source?: string;
  licence?: string;
}

/** How a quiz is played, as far as a file says it. */
export type RulesInFile = { [Rule in keyof RulesOfPlay]?: NonNullable<RulesOfPlay[Rule]> };

/** What only the archive of an account says of a quiz. */
export interface KeptOfQuiz {
  slug?: string;
  /** When it was created. */
  createdAt?: string;
  published: boolean;
  /** Honoured for administrators only, as in the API. */
  featured: boolean;
  /** The assistant that wrote it. */
  writtenBy?: string;
}

/** The quiz that a row belongs to, as far as the file names it. Rows of one quiz share the `key`. */
export interface QuizOfRow extends RulesInFile {
  /** Unique within the file. */
  key: string;
  /** Only for whole quizzes; otherwise the file only names a category. */
  title?: string;
  description?: string;
  category?: string;
  difficulty?: Difficulty;
  tags?: string[];
  /** A canonical BCP 47 tag. */
  language?: string;
  kept?: KeptOfQuiz;
}

/** `line` is 1-based; `path` is set if the line is not enough: `quizzes[0].questions[3]`, `question 4`. */
export interface FilePosition {
  line: number;
  path?: string;
}

/** `notes`: what the file has and we cannot store, one plain sentence each. */
export type ParsedRow = FilePosition & {
  question: ImportedQuestion;
  quiz?: QuizOfRow;
  notes?: string[];
};

/**
 * One plain sentence that says what is wrong and how to fix it. `fatal`: the file could not be read beyond this
 * location, so nothing of it should be imported; it is the file's last row.
 */
export type ErrorRow = FilePosition & { error: string; fatal?: true };

/** A note about the file as a whole. */
export type NoteRow = FilePosition & { note: string };

/** A column of a table, and what it is used as; null: it is ignored. */
export interface TableColumn {
  name: string;
  /** Its first value. */
  sample: string;
  field: string | null;
}

/** What every reader gives, one by one, in the file's order. */
export type ImportRow = ParsedRow | ErrorRow | NoteRow;

/**
 * A file's bytes as a stream. Iterating it again starts from the beginning, like an array of buffers: the format is
 * recognised from the beginning, and some formats are read twice.
 */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Bounded memory: a reader keeps a piece of the file and a question, never all of it. */
export type Reader = (bytes: Bytes, options?: ReadOptions) => AsyncGenerator<ImportRow>;

/** All pieces of a stream. */
export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The first bytes of a file, however small its pieces are. */
export async function headOf(bytes: Bytes, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= size) break;
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/** What the user says about a file. */
export interface ReadOptions {
  /** Of a table: what each column is used as (`Field`), '' for one that is ignored; others as their header says. */
  columns?: readonly string[] | undefined;
  /** Flash cards: typed answers, or a choice between the answers of other cards; default: by their length. */
  cards?: 'open' | 'choice' | undefined;
  /** Whether a column of a table may name pictures, which are beside the file. */
  inFolder?: boolean;
  /** Called with the columns of a table before its first row. */
  onColumns?: (columns: TableColumn[]) => void;
}

/** A picture as files have it. Its contents are read when the file has come to them. */
export interface FilePicture {
  type: string;
  bytes: number;
  read: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** By the ids that `media:<id>` in Markdown refers to. */
export type FilePictures = ReadonlyMap<string, FilePicture>;

/** A quiz to write, with its questions in order. */
export interface ExportedQuiz extends RulesInFile {
  /** Of its questions in Markdown. */
  pictures?: FilePictures;
  title: string;
  description?: string;
  category?: string;
  difficulty: Difficulty;
  tags: string[];
  language?: string;
  kept?: KeptOfQuiz;
  questions: (ImportedQuestion & { difficulty: Difficulty })[];
}

/**
 * Returns a file's text or bytes piece by piece, a text with stand-ins for its pictures (`withContents`). Its reader
 * reads what a writer wrote as equal rows: what a format has no place for is written where other programs see a comment.
 */
export type Writer = (quiz: ExportedQuiz) => Iterable<string> | AsyncIterable<Uint8Array>;

/** The file cannot be read beyond this line. `message` is one plain sentence that says how to fix it. */
export class FileError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'FileError';
  }
}

/** Why a file has no rows. */
export const NOTHING = 'The file holds no questions: choose the file that does.';

class QuestionError extends Error {}

/** A question that cannot be read, in a file that can be read on. `message` is one plain sentence that says how to fix it. */
export const questionError = (message: string): Error =>
  withoutStacks(() => new QuestionError(message));

/** For errors whose stack nobody reads: a file may have thousands of them, and stacks took a third of its time. */
export function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What is read of a question, or the error of one that cannot be read. */
export function readable<T>(place: FilePosition, read: () => T): T | ErrorRow {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof QuestionError)) throw error;
    return { ...place, error: error.message };
  }
}

/** On one line, at most 60 characters. */
export function quote(text: string): string {
  const characters = [...text.slice(0, 300).replace(/\s+/g, ' ').trim()];
  return `"${characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('')}"`;
}

/** Several errors as one sentence: the first three, the rest counted. */
export function sentence(errors: readonly string[]): string {
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : '';
  const joined = errors.slice(0, 3).join('; ') + more;
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}

/** `a, b and c` */
export function list(words: readonly string[]): string {
  return words.length < 2
    ? (words[0] ?? '')
    : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Whether a member of an object says anything. */
export const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0);

/** The object without members that say nothing. */
export function onlyGiven<T extends object>(object: T): Partial<T> {
  const given: Partial<T> = {};
  for (const name in object) if (isGiven(object[name])) given[name] = object[name];
  return given;
}
