import { guardWholeCell } from '../../../platform/text/csv.rules';
import { tableOf } from '../csv/csv.writer';
import type { ExportedQuiz } from '../row';
import { letterOf } from '../text/letters';
import { escapeXml } from '../text/xml-text';
import { writeZip } from '../zip/zip-writer';

/**
 * An Excel workbook with one sheet: the table of CSV, its cells as text, so that none is a formula, a date or a number. Their
 * beginnings are guarded as in CSV, which a workbook may become.
 * Pictures stay references: a cell holds at most 32,767 characters.
 */
export function writeXlsx(quiz: ExportedQuiz): AsyncGenerator<Uint8Array> {
  const rows = tableOf(quiz);
  return writeZip([
    { name: '[Content_Types].xml', content: [DECLARATION, CONTENT_TYPES] },
    {
      name: '_rels/.rels',
      content: [DECLARATION, relationship('officeDocument', 'xl/workbook.xml')],
    },
    { name: 'xl/workbook.xml', content: [DECLARATION, WORKBOOK] },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: [DECLARATION, relationship('worksheet', 'worksheets/sheet1.xml')],
    },
    { name: 'xl/worksheets/sheet1.xml', content: sheetOf(rows) },
  ]);
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SPREADSHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGES = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENTS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const CONTENT_TYPES = `<Types xmlns="${PACKAGES}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`;
const WORKBOOK = `<workbook xmlns="${SPREADSHEETS}" xmlns:r="${DOCUMENTS}"><sheets><sheet name="Questions" sheetId="1" r:id="rId1"/></sheets></workbook>`;

const relationship = (type: string, target: string): string =>
  `<Relationships xmlns="${PACKAGES}/relationships"><Relationship Id="rId1" Type="${DOCUMENTS}/${type}" Target="${target}"/></Relationships>`;

/** The header stays in view. */
const HEAD = `<worksheet xmlns="${SPREADSHEETS}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="1" width="60" customWidth="1"/><col min="2" max="500" width="18" customWidth="1"/></cols><sheetData>`;

function* sheetOf(rows: Iterable<readonly string[]>): Generator<string> {
  yield DECLARATION + HEAD;
  let number = 0;
  for (const row of rows) {
    number += 1;
    const cells = row.map((text, place) =>
      text === ''
        ? ''
        : `<c r="${letterOf(place)}${number}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(escapeCell(guardWholeCell(text)))}</t></is></c>`,
    );
    yield `<row r="${number}">${cells.join('')}</row>`;
  }
  yield '</sheetData></worksheet>';
}

/** Excel's own form of characters that XML does not have. What looks like one, or would before one, is escaped as well. */
const ESCAPED = /_x([\dA-Fa-f]{4})_/g;
const TO_ESCAPE =
  /[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}[_\x00-\x08\x0b-\x1f\ufffe\uffff])/g;
const escapeCell = (text: string): string =>
  text.replace(
    TO_ESCAPE,
    (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );

export const unescapeCell = (text: string): string =>
  text.replace(ESCAPED, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
