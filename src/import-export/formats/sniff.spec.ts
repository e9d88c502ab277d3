import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { LIMITS } from '../../platform/limits/limits';
import { binaryError, HEAD, sniffFormat } from './sniff';
import { zipNames } from './sniff-zip';

const XML = strToU8('<x/>');
const zip = (files: Record<string, Uint8Array>, level: 0 | 6) =>
  Buffer.from(zipSync(files, { level }));
const workbook = (level: 0 | 6) =>
  zip({ '[Content_Types].xml': XML, 'xl/workbook.xml': XML, 'xl/styles.xml': XML }, level);
const letter = zip({ '[Content_Types].xml': XML, 'word/document.xml': new Uint8Array(80_000) }, 0);

describe.each([0, 6] as const)('the format of a ZIP archive with compression %i', (level) => {
  test.each([
    ['a workbook', workbook(level), 'xlsx'],
    ['a letter', letter, undefined],
    [
      'a package of QTI with a workbook in it',
      zip({ 'imsmanifest.xml': XML, 'q1.xml': XML, 'files/table.xlsx': workbook(6) }, level),
      'qti',
    ],
    [
      'a package of QTI with a letter before its manifest',
      zip({ 'files/letter.docx': letter, 'imsmanifest.xml': XML }, level),
      'qti',
    ],
  ])('of %s', (_, bytes, format) => {
    expect(sniffFormat(bytes.subarray(0, HEAD))).toBe(format);
  });
});

const TEXT_OF_LIBREOFFICE = zip(
  { mimetype: strToU8('application/vnd.oasis.opendocument.text'), 'content.xml': XML },
  0,
);
const DECK = zip({ 'collection.anki21': new Uint8Array(80_000), media: strToU8('{}') }, 0);

test.each([
  ['of Word', letter, /copy its questions and paste them as text/],
  ['of LibreOffice', TEXT_OF_LIBREOFFICE, /copy its questions and paste them as text/],
  ['in RTF', '{\\rtf1\\ansi Which river?}', /copy its questions and paste them as text/],
  ['of Anki', DECK, /export it in Anki as “Notes in Plain Text/],
  ['that is a saved web page', '\ufeff\r\n<!DOCTYPE html>\n<title>Quiz</title>', /web page/],
  ['that a platform calls .xls', '<html xmlns:x="urn:x"><table>', /open its table in Excel/],
  ['that is another archive', zip({ 'a.txt': XML }, 6), /unpack it/],
])('for a file %s an error says what to do', (_, bytes, error) => {
  const head = Buffer.from(bytes).subarray(0, HEAD);
  expect(binaryError(head)).toMatch(error);
});

test.each([
  '<!DOCTYPE html>\r\n<html lang="en">\r\n<head>',
  '<!doctype html><!-- saved from a site --><title>Quiz</title>',
  ' <html>\n\t<head>',
  '<HTML xmlns="http://www.w3.org/TR/REC-html40"><BODY>',
])('a file that begins with %j is a web page', (text) => {
  expect(binaryError(Buffer.from(text))).toMatch('web page');
});

test.each([
  '<html>\tThe root element\n<head>\tWhat is not shown',
  '<html>\t<body>\n<head>\t<title>',
  '<!DOCTYPE html>;The kind of document\n<html>;The root element',
  '<html> is which part of a page?\nA. The root\nB. A leaf\nANSWER: A',
])('a file of questions about HTML is none: %j', (text) => {
  expect(binaryError(Buffer.from(text))).toBeNull();
});

test('a deck of Anki is no package of QTI', () => {
  expect(sniffFormat(DECK.subarray(0, HEAD))).toBeUndefined();
});

/** What Python's zipfile writes, without compression, to something that cannot seek: sizes are behind the data. */
function streamed(files: Record<string, Buffer>): Buffer {
  return Buffer.concat(
    Object.entries(files).flatMap(([name, data]) => {
      const header = Buffer.alloc(30);
      header.write('PK\x03\x04', 'latin1');
      header[6] = 8;
      header.writeUInt16LE(name.length, 26);
      const sizes = Buffer.alloc(16);
      sizes.write('PK\x07\x08', 'latin1');
      sizes.writeUInt32LE(data.length, 8);
      sizes.writeUInt32LE(data.length, 12);
      return [header, Buffer.from(name), data, sizes];
    }),
  );
}

test('an archive that was written as a stream has no names of archives that are stored in it', () => {
  const text = Buffer.from('x');
  // An archive in an archive: its own sizes are not those of the entry around it.
  const inner = streamed({ 'xl/workbook.xml': text, 'xl/more.zip': streamed({ 'a.xml': text }) });
  const files = { 'imsmanifest.xml': text, 'files/table.xlsx': inner, 'q1.xml': text };
  expect(zipNames(streamed(files))).toEqual(Object.keys(files));
  expect(sniffFormat(streamed(files))).toBe('qti');
});

test('the end of an entry that was written as a stream is looked for at 64 marks', () => {
  const { value } = LIMITS.imports.archiveMarks;
  const text = Buffer.from('x');
  const names = (marks: number) => {
    const marksOnly = Buffer.from('PK\x07\x08'.repeat(marks), 'latin1');
    return zipNames(
      streamed({ 'a.zip': Buffer.concat([marksOnly, streamed({ 'b.xml': text })]), 'c.xml': text }),
    );
  };
  // Those within the data, that of the entry in it, and its own.
  expect(names(value - 2)).toEqual(['a.zip', 'c.xml']);
  expect(names(value - 1)).toEqual(['a.zip', 'b.xml', 'c.xml']);
});

test('a package of QTI is known by its manifest if the head ends in a workbook', () => {
  const long = streamed({ 'xl/workbook.xml': Buffer.alloc(HEAD) });
  const bytes = streamed({ 'imsmanifest.xml': Buffer.from('x'), 'files/table.xlsx': long });
  expect(sniffFormat(bytes.subarray(0, HEAD))).toBe('qti');
});

test('the names of an archive that was written as a stream are found', () => {
  const bytes = zip({ 'a.xml': XML, 'b.xml': XML }, 0);
  for (let at = bytes.indexOf('PK\x03\x04'); at >= 0; at = bytes.indexOf('PK\x03\x04', at + 1)) {
    bytes[at + 6] = 8;
    bytes.fill(0, at + 18, at + 26);
  }
  expect(zipNames(bytes)).toEqual(['a.xml', 'b.xml']);
});

test('an archive that ends anywhere, or has any other byte, has names that can be read', () => {
  const bytes = zip({ 'a.xml': XML, 'b.xml': XML, 'c.xml': XML }, 0);
  const anywhere = fc.nat(bytes.length - 1);
  fc.assert(
    fc.property(anywhere, anywhere, fc.nat(255), (end, at, value) => {
      const damaged = Buffer.from(bytes);
      damaged[at] = value;
      expect(zipNames(damaged.subarray(0, end)).length).toBeLessThanOrEqual(3);
    }),
  );
});
