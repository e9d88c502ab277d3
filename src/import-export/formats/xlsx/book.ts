import { builtInStyle, type NumberStyle, styleOf } from './number-styles';
import { RichText } from './rich-text';
import type { Workbook } from './workbook';

export interface Sheet {
  name: string;
  part: string;
}

export interface Book {
  workbook: Workbook;
  /** Those that are visible, each with a part of its own. */
  sheets: Sheet[];
  texts: string[];
  /** The indexes of texts whose raised or lowered parts have no characters. */
  flattened: Set<number>;
  styles: NumberStyle[];
  /** The number of 1970-01-01 among the workbook's days, which count from 1900 or 1904. */
  epoch: number;
}

/** What the sheets of a workbook share. */
export async function openBook(workbook: Workbook): Promise<Book> {
  const book: Book = {
    workbook,
    sheets: [],
    texts: [],
    flattened: new Set(),
    styles: [],
    epoch: 25_569,
  };
  const named: { name: string; id: string }[] = [];
  await workbook.readAll('xl/workbook.xml', {
    open(tag, at) {
      if (tag === 'workbookPr' && /^(?:1|true)$/.test(at.date1904 ?? '')) book.epoch = 24_107;
      if (tag === 'sheet' && (at.state ?? 'visible') === 'visible')
        named.push({ name: at.name ?? '', id: at['r:id'] ?? '' });
    },
  });
  const targets = new Map<string, string>();
  await workbook.readAll('xl/_rels/workbook.xml.rels', {
    open(tag, at) {
      if (tag === 'Relationship') targets.set(at.Id ?? '', at.Target ?? '');
    },
  });
  // Each part once: a workbook of a few bytes may name a long one 100,000 times.
  const parts = new Set<string>();
  for (const { name, id } of named) {
    const target = targets.get(id);
    if (!target) continue;
    const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    if (!parts.has(part)) book.sheets.push({ name, part });
    parts.add(part);
  }
  let text = new RichText();
  await workbook.readAll('xl/sharedStrings.xml', {
    open(tag, at) {
      if (tag === 'si') text = new RichText();
      text.open(tag, at);
    },
    close(tag, said) {
      text.close(tag, said);
      if (tag !== 'si') return;
      if (text.isFlattened) book.flattened.add(book.texts.length);
      book.texts.push(text.text);
    },
  });
  const codes = new Map<number, NumberStyle>();
  let isCells = false;
  await workbook.readAll('xl/styles.xml', {
    open(tag, at) {
      if (tag === 'numFmt') codes.set(Number(at.numFmtId), styleOf(at.formatCode ?? ''));
      if (tag === 'cellXfs') isCells = true;
      if (tag === 'xf' && isCells)
        book.styles.push(builtInStyle(Number(at.numFmtId)) ?? codes.get(Number(at.numFmtId)));
    },
    close(tag) {
      if (tag === 'cellXfs') isCells = false;
    },
  });
  return book;
}
