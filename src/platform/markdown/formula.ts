import { escapeUTF8 } from 'entities';
import { Parser } from 'htmlparser2';
import temml from 'temml';
import { LIMITS } from '../limits/limits';
import { codePoints } from '../text/text.rules';
import { MarkdownError, quoted } from './markdown-error';

/**
 * Formulas in TeX as MathML. What Temml writes is not passed on: it is read, and only the elements, attributes and values
 * listed here are written again. A formula that needs anything else is refused, so that none is shown in part.
 */

const { formulaText } = LIMITS.content;

/** In em and pt: what a length in a formula may be. */
const LARGEST: [number, number] = [20, 200];

const ELEMENTS = new Set([
  ...['math', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mspace', 'mstyle', 'mpadded', 'mphantom'],
  ...['mfrac', 'msqrt', 'mroot', 'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover'],
  ...['mmultiscripts', 'mprescripts', 'none', 'mtable', 'mtr', 'mtd'],
]);

const FLAG = /^(?:true|false)$/;
/** At most two digits before the point, so that nothing is drawn far away from the formula. */
const LENGTH = /^-?\d{0,2}(?:\.\d{1,6})?(?:em|ex|px|pt|%)?$/;
const POSITIVE = /^\d{0,3}(?:\.\d{1,6})?(?:em|ex|px|pt|%)?$/;

/** By attribute: the values that it may have. Others are left out, which changes no more than spacing. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  display: /^block$/,
  displaystyle: FLAG,
  scriptlevel: /^[+-]?\d$/,
  mathvariant: /^normal$/,
  form: /^(?:prefix|infix|postfix)$/,
  fence: FLAG,
  separator: FLAG,
  stretchy: FLAG,
  symmetric: FLAG,
  largeop: FLAG,
  movablelimits: FLAG,
  accent: FLAG,
  accentunder: FLAG,
  maxsize: POSITIVE,
  minsize: POSITIVE,
  mathsize: POSITIVE,
  linethickness: POSITIVE,
  width: POSITIVE,
  height: POSITIVE,
  depth: POSITIVE,
  lspace: LENGTH,
  rspace: LENGTH,
  voffset: LENGTH,
};

/** Temml's classes that have a style of ours, and its enclosures that become rows with one. */
const CLASSES: Readonly<Record<string, string>> = {
  'tml-left': 'f-left',
  'tml-right': 'f-right',
  'tml-jot': 'f-jot',
  'tml-small': 'f-small',
  'tml-overline': 'f-over',
  'tml-underline': 'f-under',
  'tml-fbox': 'f-box',
  upstrike: 'f-strike-up',
  downstrike: 'f-strike-down',
  'tml-xcancel': 'f-strike-both',
  sout: 'f-strike-out',
};

/** Temml's classes that correct the position of a sign in one browser or another. */
const COSMETIC =
  /^(?:tml-(?:display|prime|vec|cancel|tag|tageqn|eqn|(?:sml|med|lrg)-pad|(?:hat|tilde)-\d)|(?:chr|wbk)-[a-z-]+|ff-squash|mathcal|mathscr|special-fraction|)$/;

/** The page's policy allows no inline styles: those that matter become classes. */
const STYLES: readonly [name: RegExp, value: RegExp, className: string][] = [
  [/^padding-left$/, /^0(?:em|pt)?$/, 'f-l0'],
  [/^padding-right$/, /^0(?:em|pt)?$/, 'f-r0'],
  [/^padding-left$/, /^1em$/, 'f-l1'],
  [/^padding$/, /^0$/, 'f-l0 f-r0'],
  [/^border-left$/, /solid/, 'f-line-left'],
  [/^border-right$/, /solid/, 'f-line-right'],
  [/^border-top$/, /solid|double|dashed/, 'f-line-top'],
  [/^border-bottom$/, /solid|double|dashed/, 'f-line-bottom'],
  [/^border$/, /^1px solid$/, 'f-box'],
  [/^font-weight$/, /^bold$/, 'f-bold'],
  [/^margin-left$/, /^-0\.\d+em$/, 'f-closer'],
];

/** Finds commands with these names. The second backslash of the end of a row (`\\`) does not begin a command. */
const commands = (names: string) =>
  new RegExp(`(?<!\\\\)(?:\\\\\\\\)*\\\\(?:${names})(?![A-Za-z])`);

const notSupported = (formula: string) =>
  `has the formula ${formula}, which uses a command that is not supported: write it without links, pictures and decorations`;

/** What a formula may not do, by what shows it, and the error with the quoted formula. */
const REFUSED: readonly [RegExp, (formula: string) => string][] = [
  // A backslash around the text of \verb would hide the command that follows it.
  [/\\verb\*?\\/, notSupported],
  [
    commands('[gex]?def|(?:re|provide)?newcommand|let|futurelet|global|long'),
    (formula) =>
      `has the formula ${formula}, which defines a command, which is not supported: write it out`,
  ],
  [
    commands('(?:text|page|f)?color(?:box)?|fcolorbox|definecolor'),
    (formula) =>
      `has the formula ${formula}, which sets a colour, which is not supported: leave it out`,
  ],
];

/** A formula may have so many cells, or as many as it has characters: a row of `&` and a column of row ends are short. */
const FREE_CELLS = 64;
/** No formula that could have more cells than this is rendered to count them. */
const MOST_COUNTED = 1_000;

/** Numbered equations of TeX. Here none has a number. */
const NUMBERED = /\\(begin|end)\{(align|alignat|equation|gather)\}/g;

/**
 * MathML of a formula.
 * @param isDisplay in a line of its own
 * @throws MarkdownError that quotes the formula
 */
export function formulaHtml(tex: string, isDisplay: boolean): string {
  if (codePoints(tex) > formulaText.value)
    throw new MarkdownError(
      `has the formula ${quoted(tex)}, which is longer than ${formulaText.value} characters: split it into several formulas`,
    );
  const refused = REFUSED.find(([pattern]) => pattern.test(tex));
  if (refused) throw new MarkdownError(refused[1](quoted(tex)));
  const tooManyCells = () =>
    new MarkdownError(
      `has the formula ${quoted(tex)}, which has more cells than characters: leave empty rows and columns out`,
    );
  if (mostCells(tex) > MOST_COUNTED) throw tooManyCells();
  let markup: string;
  try {
    markup = temml.renderToString(tex.replace(NUMBERED, '\\$1{$2*}'), {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      maxSize: LARGEST,
      maxExpand: 500,
    });
  } catch (error) {
    // Of some formulas Temml throws a TypeError, or has no stack left.
    throw new MarkdownError(
      `has the formula ${quoted(tex)}, which cannot be read${reason(error)}: correct it`,
    );
  }
  if ((markup.match(/<mtd/g)?.length ?? 0) > Math.max(FREE_CELLS, tex.length)) throw tooManyCells();
  const mathml = rewritten(markup);
  if (mathml === null) throw new MarkdownError(notSupported(quoted(tex)));
  return mathml;
}

/** A rough count before a formula is rendered: of its tables together. Tables within tables may have more cells. */
function mostCells(tex: string): number {
  const cells = tex.split('\\end{').map((table) => {
    const rows = table.split(/\\\\|\\cr(?![A-Za-z])/);
    return rows.length * Math.max(...rows.map((row) => row.split('&').length));
  });
  return cells.reduce((sum, count) => sum + count);
}

/** What Temml says of a formula, without where, which it marks by combining characters. */
function reason(error: unknown): string {
  const message = error instanceof Error && error.name === 'ParseError' ? error.message : '';
  const [said = ''] = message.split(/ at (?:position|end of input)/);
  const plain = said
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .replace(/\.$/, '');
  return plain && plain.length < 120 ? ` (${plain.replaceAll('$', '')})` : '';
}

/** The markup with only what is listed above; null if there is more to it. */
function rewritten(markup: string): string | null {
  let html = '';
  let isKnown = true;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const isEnclosure = name === 'menclose';
        const classes = classesOf(attributes);
        // Temml draws a strike by an empty row within an enclosure.
        if (isEnclosure && /strike/.test(attributes.notation ?? '')) classes?.push('f-struck');
        const hasStyle = classes !== null && classes.length > 0;
        // An enclosure without a style of ours would vanish.
        if (classes === null || !(isEnclosure ? hasStyle : ELEMENTS.has(name))) isKnown = false;
        html += `<${isEnclosure ? 'mrow' : name}`;
        for (const [attribute, value] of Object.entries(attributes))
          if (!isEnclosure && ATTRIBUTES[attribute]?.test(value))
            html += ` ${attribute}="${value}"`;
        html += hasStyle ? ` class="${classes.join(' ')}">` : '>';
      },
      ontext(text) {
        html += escapeUTF8(text);
      },
      onclosetag(name) {
        html += `</${name === 'menclose' ? 'mrow' : name}>`;
      },
      oncomment() {
        isKnown = false;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(markup);
  return isKnown && html.startsWith('<math') ? html : null;
}

/** Our classes for what Temml wants an element to look like; null if there is something that we have none for. */
function classesOf(attributes: Readonly<Record<string, string>>): string[] | null {
  const names = (attributes.class ?? '').split(/\s+/);
  if (names.some((name) => !CLASSES[name] && !COSMETIC.test(name))) return null;
  if (/transform/.test(attributes.style ?? '')) return null;
  const named = names.flatMap((name) => CLASSES[name] ?? []);
  const styled = (attributes.style ?? '').split(';').flatMap((rule) => {
    const [name = '', value = ''] = rule.split(':').map((part) => part.trim());
    return STYLES.find(([names, values]) => names.test(name) && values.test(value))?.[2] ?? [];
  });
  return [...new Set([...named, ...styled])];
}
