import { readAiken } from './aiken/aiken.reader';
import { readArchive } from './archive/archive.reader';
import { readCards } from './csv/cards.reader';
import { readCsv } from './csv/csv.reader';
import type { FormatName } from './formats';
import { readGift } from './gift/gift.reader';
import { readJson, readJsonLines } from './json/json';
import { readMarkdown } from './markdown/markdown.reader';
import { readMoodleXml } from './moodle-xml/moodle-xml.reader';
import { readOpenTriviaQa } from './opentriviaqa/opentriviaqa.reader';
import { readQti } from './qti/qti.reader';
import type { Reader } from './row';
import { readXlsx } from './xlsx/xlsx.reader';

/** What reads the files of each format. */
export const READERS: Record<FormatName, Reader> = {
  json: readJson,
  jsonl: readJsonLines,
  csv: readCsv,
  xlsx: readXlsx,
  quizlet: readCards,
  markdown: readMarkdown,
  gift: readGift,
  aiken: readAiken,
  'moodle-xml': readMoodleXml,
  opentdb: readJson,
  opentriviaqa: readOpenTriviaQa,
  qti: readQti,
  archive: readArchive,
};
