/** Several answers in one text: `["a", "b"]`, `['a', 'b']`, `a|b`. */

/** The elements of a list as JSON or Python writes it; undefined where the text is none. */
export function listIn(text: string): string[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map(String);
  } catch {
    // Python's, perhaps.
  }
  const inner = text.slice(1, -1);
  const items: string[] = [];
  for (let at = 0; at < inner.length;) {
    ITEM.lastIndex = at;
    const [whole, single, double, bare] = ITEM.exec(inner) ?? [];
    if (!whole) return undefined;
    const quoted = single ?? double;
    const item = quoted?.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char) ?? bare;
    // Bare words may be several to an element.
    if (bare && !/^(?:[-+]?[\d.]+|True|False)$/.test(bare)) return undefined;
    if (item !== undefined) items.push(item);
    at += whole.length;
  }
  return items;
}

/** What separates the elements (in NumPy only white space), or one of them. */
const ITEM = /[\s,]+|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([-+.\w]+)(?=[\s,]|$)/sy;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** In the order in which they win: a comma is part of many texts. */
const MARKS = ['|', '\n', ';', ','] as const;

/** Looks at all cells of a column that holds lists, to learn what separates the answers. */
export class ListSurvey {
  private readonly rows = new Map<string, number>();
  /** How many answers commas make of each row that is not True or False. */
  private readonly byComma = new Set<number>();

  look(cell: string): void {
    if (!cell || listIn(cell)) return;
    for (const mark of MARKS)
      if (cell.includes(mark)) this.rows.set(mark, (this.rows.get(mark) ?? 0) + 1);
    if (!/^(?:true|false)$/i.test(cell)) this.byComma.add(cell.split(',').length);
  }

  /** The answers of a cell; undefined where they cannot be told apart for certain. */
  split(cell: string): string[] | undefined {
    if (!cell) return [];
    const list = listIn(cell);
    if (list) return list.map((item) => item.trim());
    if (/^[[{]/.test(cell)) return undefined;
    const most = Math.max(0, ...this.rows.values());
    const mark = MARKS.find((each) => this.rows.get(each) === most && most > 0);
    if (!mark || !MARKS.some((each) => cell.includes(each))) return [cell];
    if (!cell.includes(mark) || (mark === ',' && this.byComma.size > 1)) return undefined;
    return cell.split(mark).map((item) => item.trim());
  }
}
