import { writeCsv } from './csv/csv.writer';
import type { ExportName } from './formats';
import { writeGift } from './gift/gift.writer';
import { writeJson } from './json/json';
import { writeMarkdown } from './markdown/markdown.writer';
import { writeMoodleXml } from './moodle-xml/moodle-xml.writer';
import { writeQti } from './qti/qti.writer';
import type { Writer } from './row';
import { writeXlsx } from './xlsx/xlsx.writer';

/** What writes a quiz as a file, by the name of the export. */
export const WRITERS: Record<ExportName, Writer> = {
  json: writeJson,
  csv: writeCsv,
  xlsx: writeXlsx,
  markdown: writeMarkdown,
  gift: writeGift,
  'moodle-xml': writeMoodleXml,
  'qti-2.1': (quiz) => writeQti(quiz, '2.1'),
  'qti-3.0': (quiz) => writeQti(quiz, '3.0'),
};
