import { type ErrorRow, readable } from '../row';
import { htmlToText } from '../text/html-text';

/** Excel's own first line for readers with other settings; or lines that Anki reads or skips as comments. */
const FOR_PROGRAMS = /^(?:sep=.[\r\n]+|(?:#[^\r\n]*(?:\r\n|\r|\n))+)/i;
/** One of these lines shows that the others are Anki's, too. */
const OF_ANKI = /^#(?:separator|html|tags|columns|notetype|deck|guid|if matches)[a-z ]*:/im;

/** The separators that Anki names. */
const NAMED_SEPARATORS: Readonly<Record<string, string>> = {
  tab: '\t',
  comma: ',',
  semicolon: ';',
  space: ' ',
  pipe: '|',
  colon: ':',
};

/** The lines above the rows that are for programs. */
export interface ProgramLines {
  /** As they are in the file; '' without any. */
  above: string;
  /** Undefined if they name none that we know. */
  separator: string | undefined;
  anki?: AnkiLines;
}

/** What Anki writes about the cells (https://docs.ankiweb.net/importing/text-files.html#file-headers). */
export interface AnkiLines {
  isHtml: boolean;
  /** What the columns without a text have, by their indexes from 0: guid, notetype, deck, tags. */
  left: ReadonlyMap<number, string>;
  /** The names of the columns, as in a header. */
  names?: string | undefined;
}

export function programLines(text: string): ProgramLines {
  const lines = FOR_PROGRAMS.exec(text)?.[0] ?? '';
  const above = lines.startsWith('#') && !OF_ANKI.test(lines) ? '' : lines;
  const [, mark = ''] = /^sep=(.)/i.exec(above) ?? /^#separator: *([a-z]+|.)/im.exec(above) ?? [];
  const separator = NAMED_SEPARATORS[mark.toLowerCase()] ?? (mark.length === 1 ? mark : undefined);
  if (!above.startsWith('#')) return { above, separator };
  const left = [...above.matchAll(/^#(guid|notetype|deck|tags) column: *(\d{1,3})/gim)].map(
    ([, kind = '', number]) => [Number(number) - 1, kind.toLowerCase()] as const,
  );
  const anki = {
    isHtml: /^#html: *true/im.test(above),
    left: new Map(left),
    names: /^#columns:(.*)/im.exec(above)?.[1],
  };
  return { above, separator, anki };
}

/** The texts of a row of Anki, whose other cells become empty, and what is lost of them; or why they cannot be read. */
export function ankiRow(
  cells: readonly string[],
  line: number,
  { isHtml, left }: AnkiLines,
): ({ notes?: string[] } | ErrorRow) & { cells: string[] } {
  const raw = cells.map((cell, place) => (left.has(place) ? '' : cell));
  if (!isHtml) return { cells: raw };
  const read = readable({ line }, () => {
    const texts = raw.map((cell) => htmlToText(cell.replace(SOUND, '<audio></audio>')));
    return {
      cells: texts.map(({ text }) => text),
      notes: [...new Set(texts.flatMap(({ notes }) => notes))],
    };
  });
  return { cells: raw, ...read };
}

const SOUND = /\[sound:[^[\]]*\]/g;
