import { readAiken } from './aiken/aiken.reader';
import { readArchive } from './archive/archive.reader';
import { readCards } from './csv/cards.reader';
import { readCsv, writeCsv } from './csv/csv';
import { readGift } from './gift/gift.reader';
import { writeGift } from './gift/gift.writer';
import { readJson, readJsonLines, writeJson } from './json/json';
import { readMarkdown } from './markdown/markdown.reader';
import { writeMarkdown } from './markdown/markdown.writer';
import { readMoodleXml } from './moodle-xml/moodle-xml.reader';
import { writeMoodleXml } from './moodle-xml/moodle-xml.writer';
import { readOpenTriviaQa } from './opentriviaqa/opentriviaqa.reader';
import { readQti } from './qti/qti.reader';
import { writeQti } from './qti/qti.writer';
import type { Reader, Writer } from './row';
import { readXlsx } from './xlsx/xlsx.reader';
import { writeXlsx } from './xlsx/xlsx.writer';

/** A format of question files. A new one also needs a line in `sniff.ts` and docs/import-export.md. */
export interface Format {
  /** The name for people. */
  title: string;
  /** The first is the one that exports use; the others are accepted too. */
  mediaTypes: readonly [string, ...string[]];
  /** The first is the one that exports use. */
  endings: readonly string[];
  read: Reader;
  /** The file is a ZIP archive, so its bytes are no text. */
  isZip?: boolean;
  /** How often `read` goes through a file; default: once. */
  passes?: number;
  /** For files that always come from the same source, unless the import names another. */
  attribution?: { source: string; licence: string; tags: readonly string[] };
  /** Its files are named after the category of their questions. Names of other files are nothing that readers should see. */
  isNamedAfterCategory?: true;
}

const FORMATS = {
  json: {
    title: 'JSON',
    mediaTypes: ['application/json'],
    endings: ['.json'],
    read: readJson,
  },
  jsonl: {
    title: 'JSON Lines',
    mediaTypes: ['application/jsonl', 'application/x-ndjson', 'application/x-jsonlines'],
    endings: ['.jsonl', '.ndjson'],
    read: readJsonLines,
    passes: 2,
  },
  csv: {
    title: 'CSV',
    mediaTypes: ['text/csv', 'text/tab-separated-values', 'application/csv'],
    endings: ['.csv', '.tsv'],
    read: readCsv,
    passes: 2,
  },
  xlsx: {
    title: 'Excel',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    endings: ['.xlsx', '.xlsm'],
    isZip: true,
    read: readXlsx,
  },
  quizlet: {
    title: 'Flash cards (Quizlet)',
    mediaTypes: ['text/x-flash-cards'],
    endings: [],
    read: readCards,
    passes: 2,
  },
  markdown: {
    title: 'List or Markdown',
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    endings: ['.md', '.markdown'],
    read: readMarkdown,
  },
  gift: {
    title: 'GIFT',
    mediaTypes: ['text/x-gift', 'text/vnd.gift'],
    endings: ['.gift'],
    read: readGift,
  },
  aiken: {
    title: 'Aiken',
    mediaTypes: ['text/x-aiken'],
    endings: ['.aiken'],
    read: readAiken,
  },
  'moodle-xml': {
    title: 'Moodle XML',
    mediaTypes: ['application/xml', 'text/xml'],
    endings: ['.xml'],
    read: readMoodleXml,
  },
  opentdb: {
    title: 'Open Trivia DB',
    mediaTypes: ['application/vnd.opentdb+json'],
    endings: [],
    read: readJson,
  },
  opentriviaqa: {
    title: 'OpenTriviaQA',
    mediaTypes: ['text/x-opentriviaqa'],
    endings: [],
    read: readOpenTriviaQa,
    attribution: { source: 'OpenTriviaQA', licence: 'CC BY-SA 4.0', tags: ['opentriviaqa'] },
    isNamedAfterCategory: true,
  },
  qti: {
    title: 'QTI',
    mediaTypes: ['application/vnd.ims.qti+zip'],
    endings: ['.qti'],
    isZip: true,
    read: readQti,
  },
  archive: {
    title: 'Archive of an account',
    mediaTypes: ['application/zip'],
    endings: ['.zip'],
    isZip: true,
    read: readArchive,
  },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];
export function formatOf(name: FormatName): Format {
  return FORMATS[name];
}

/** What a quiz is exported as. */
const EXPORTS = {
  json: { format: 'json', write: writeJson },
  csv: { format: 'csv', write: writeCsv },
  xlsx: { format: 'xlsx', write: writeXlsx },
  markdown: { format: 'markdown', title: 'Markdown', write: writeMarkdown },
  gift: { format: 'gift', write: writeGift },
  'moodle-xml': { format: 'moodle-xml', write: writeMoodleXml },
  'qti-2.1': {
    ...{ format: 'qti', title: 'QTI 2.1', ending: '.zip', mediaType: 'application/zip' },
    write: (quiz) => writeQti(quiz, '2.1'),
  },
  'qti-3.0': {
    ...{ format: 'qti', title: 'QTI 3.0', ending: '.zip', mediaType: 'application/zip' },
    write: (quiz) => writeQti(quiz, '3.0'),
  },
} satisfies Record<string, Partial<ExportFormat> & Pick<ExportFormat, 'format' | 'write'>>;

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
  write: Writer;
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
