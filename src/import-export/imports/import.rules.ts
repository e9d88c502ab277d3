import { LIMITS } from '../../platform/limits/limits';

export const IMPORT_STATES = [
  'receiving',
  'waiting',
  'running',
  'completed',
  'stopped',
  'failed',
  'cancelled',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export const UNDER_WAY: readonly ImportState[] = ['receiving', 'waiting', 'running'];

export const isUnderWay = (state: ImportState): boolean => UNDER_WAY.includes(state);

/** Questions per quiz if the file gives no title: as many as one batch of the API holds. */
export const QUIZ_SIZE = 50;

/** How many questions a preview shows. */
export const SAMPLE = 10;

/**
 * Titles of quizzes without a title in the file, by their category or the file's name: `Rivers & Lakes`, or `Rivers &
 * Lakes (2)` if there are several. Without a word, because the title is public and its quiz in any language.
 */
export const partTitle = (name: string | null | undefined, part?: number | '…'): string =>
  part === undefined ? (name ?? 'Questions') : `${name ?? 'Questions'} (${part})`;

/** In the order of a report: reasons for leaving rows out come first. */
export const REPORT_KINDS = ['error', 'duplicate', 'note'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Report entries of each kind that are kept for an import; further ones are only counted. */
export const MOST_REPORT_ENTRIES = LIMITS.imports.reportRows.value;

/** The quizzes of an import beside those of its account. */
interface QuizCounts {
  /** How many quizzes the file makes. */
  needed: number;
  /** How many it makes at least, with as many questions in each quiz without a title as a quiz may have. */
  fewest: number;
  owned: number;
  /** How many the account may still create. */
  room: number;
}

/**
 * Why the quizzes of an import do not fit into a plan, and what to do.
 * @param canAppend whether all questions may be added to one quiz
 */
export function quotaProblem(
  { needed, fewest, owned, room }: QuizCounts,
  canAppend: boolean,
  plan: { name: string; canUpgrade: boolean },
): string {
  const number = (count: number) => count.toLocaleString('en');
  const missing = needed - room;
  const ways = [
    ...(missing <= owned ? [`delete ${number(missing)} of your quizzes`] : []),
    ...(fewest <= room ? ['put more questions into each new quiz'] : []),
    ...(canAppend ? ['append the file to one quiz'] : []),
    ...(plan.canUpgrade ? ['upgrade your plan'] : []),
  ];
  if (ways.length === 0) ways.push('ask an administrator for more room');
  const advice = new Intl.ListFormat('en', { type: 'disjunction' }).format(ways);
  const capital = advice.charAt(0).toUpperCase();
  return `The file makes ${number(needed)} ${needed === 1 ? 'quiz' : 'quizzes'}, and your ${plan.name} plan has room for ${room === 0 ? 'none' : `${number(room)} of them`}. ${capital}${advice.slice(1)}.`;
}

/** What to do after an import has stopped at a limit. */
export const WHAT_IS_LEFT =
  'The rest was not imported: make room and import the file again, which skips what you have, or undo this import.';

/** The same of an archive that has left a quiz incomplete: importing it again would skip that quiz, or add it once more. */
export const WHAT_STAYS_DRAFT =
  'Quizzes whose results are not stored stay drafts: undo this import, then import the archive again.';
