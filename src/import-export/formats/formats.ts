/** A format of question files. */
export interface Format {
  /** The name for people. */
  title: string;
  /** The first is the one that exports use; the others are accepted too. */
  mediaTypes: readonly [string, ...string[]];
  /** The first is the one that exports use. */
  endings: readonly string[];
  /** Its files may be ZIP archives, whose bytes are no text. */
  isZip?: boolean;
  /** Its files hold several files and are imported alone: in a folder they are passed over. */
  isPackage?: true;
  /** A line that is no part of a question: a heading, a category, a comment. */
  beside?: RegExp;
  /** How often its reader goes through a file; default: once. */
  passes?: number;
  /** For files that always come from the same source, unless the import names another. */
  attribution?: { source: string; licence: string; tags: readonly string[] };
  /**
   * Its files are named after the category of their questions; by file name, the categories that it does not spell. Names
   * of other files become titles of quizzes.
   */
  categories?: ReadonlyMap<string, string>;
}

const FORMATS = {
  json: {
    title: 'JSON',
    mediaTypes: ['application/json'],
    endings: ['.json'],
  },
  jsonl: {
    title: 'JSON Lines',
    mediaTypes: ['application/jsonl', 'application/x-ndjson', 'application/x-jsonlines'],
    endings: ['.jsonl', '.ndjson'],
    passes: 2,
  },
  csv: {
    title: 'CSV',
    mediaTypes: ['text/csv', 'text/tab-separated-values', 'application/csv'],
    endings: ['.csv', '.tsv'],
    passes: 2,
  },
  xlsx: {
    title: 'Excel',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    endings: ['.xlsx', '.xlsm'],
    isZip: true,
  },
  quizlet: {
    title: 'Flash cards (Quizlet)',
    mediaTypes: ['text/x-flash-cards'],
    endings: [],
    passes: 2,
  },
  markdown: {
    title: 'List or Markdown',
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    endings: ['.md', '.markdown'],
    beside: /^\s*#{1,6}\s/,
  },
  gift: {
    title: 'GIFT',
    mediaTypes: ['text/x-gift', 'text/vnd.gift'],
    endings: ['.gift'],
    beside: /^\s*(?:\$CATEGORY:|\/\/)/,
  },
  aiken: {
    title: 'Aiken',
    mediaTypes: ['text/x-aiken'],
    endings: ['.aiken'],
  },
  'moodle-xml': {
    title: 'Moodle XML',
    mediaTypes: ['application/xml', 'text/xml'],
    endings: ['.xml'],
  },
  opentdb: {
    title: 'Open Trivia DB',
    mediaTypes: ['application/vnd.opentdb+json'],
    endings: [],
  },
  opentriviaqa: {
    title: 'OpenTriviaQA',
    mediaTypes: ['text/x-opentriviaqa'],
    endings: [],
    attribution: { source: 'OpenTriviaQA', licence: 'CC BY-SA 4.0', tags: ['opentriviaqa'] },
    categories: new Map([
      ['religion-faith', 'Religion & Faith'],
      ['science-technology', 'Science & Technology'],
    ]),
  },
  qti: {
    title: 'QTI',
    mediaTypes: ['application/vnd.ims.qti+zip'],
    endings: ['.qti'],
    isZip: true,
    isPackage: true,
  },
  archive: {
    title: 'Archive of an account',
    mediaTypes: ['application/zip'],
    endings: ['.zip'],
    isZip: true,
    isPackage: true,
  },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];
export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}

/** What a quiz is exported as; `writers.ts` writes it. */
const EXPORTS = {
  json: { format: 'json' },
  csv: { format: 'csv' },
  xlsx: { format: 'xlsx' },
  markdown: { format: 'markdown', title: 'Markdown' },
  gift: { format: 'gift' },
  'moodle-xml': { format: 'moodle-xml' },
  'qti-2.1': { format: 'qti', title: 'QTI 2.1', ending: '.zip', mediaType: 'application/zip' },
  'qti-3.0': { format: 'qti', title: 'QTI 3.0', ending: '.zip', mediaType: 'application/zip' },
} satisfies Record<string, Partial<ExportFormat> & Pick<ExportFormat, 'format'>>;

export type ExportName = keyof typeof EXPORTS;
export const EXPORT_NAMES = Object.keys(EXPORTS) as ExportName[];

/** A format of exports. */
export interface ExportFormat {
  /** The one that reads its files. */
  format: FormatName;
  /** The name for people. */
  title: string;
  mediaType: string;
  ending: string;
  /** Bytes, and no text. */
  isZip: boolean;
}

export function exportOf(name: ExportName): ExportFormat {
  const { format } = EXPORTS[name];
  const { title, mediaTypes, endings, isZip = false } = formatOf(format);
  const usual = { title, mediaType: mediaTypes[0], ending: endings[0] ?? '', isZip };
  return { ...usual, ...EXPORTS[name] };
}

/** The format of a `Content-Type`; undefined for `text/plain` and others that leave it open. */
export function formatByMediaType(contentType: string): FormatName | undefined {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return FORMAT_NAMES.find((name) => formatOf(name).mediaTypes.includes(type));
}

/** The format for a file's extension; `questions.gift.txt` is GIFT. */
export function formatByFileName(fileName: string): FormatName | undefined {
  const name = fileName.toLowerCase().replace(/\.txt$/, '');
  return FORMAT_NAMES.find((format) => formatOf(format).endings.some((end) => name.endsWith(end)));
}

/** Why a file was not read whose format is unknown. */
export const UNKNOWN_FORMAT = `The file’s format could not be recognised from its content or its name. Choose the format: ${FORMAT_NAMES.join(', ')}.`;
