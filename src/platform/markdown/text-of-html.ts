import { Parser } from 'htmlparser2';
import { subscript, superscript } from '../text/scripts.rules';

interface Element {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: Element[];
  /** Of an element without children. */
  text: string;
}

/** Block elements: their text is separated from the text around them by a space. */
const BLOCKS = new Set(['p', 'ul', 'ol', 'li', 'blockquote', 'th', 'td', 'div', 'br', 'hr']);

/**
 * The text of rendered Markdown, for what holds no markup: names of controls, which browsers do not read from MathML, and
 * lines of lists. Formulas are written in one line, with signs that screen readers know in every language: "√(x + 1)", "x²",
 * "(a + b)/c".
 * @param html as the renderer of Markdown writes it
 */
export function textOfHtml(html: string): string {
  let text = '';
  const open: Element[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'math' || open.length > 0)
        open.push({ name, attributes, children: [], text: '' });
      else if (name === 'img') text += attributes.alt ?? '';
      else if (BLOCKS.has(name) || attributes.class?.includes('code-block')) text += ' ';
    },
    ontext(part) {
      const element = open.at(-1);
      if (element) element.text += part;
      else text += part;
    },
    onclosetag(name) {
      const element = open.pop();
      const parent = open.at(-1);
      if (parent && element) parent.children.push(element);
      else if (element) {
        const formula = linearized(element);
        text += element.attributes.display === 'block' ? ` ${formula} ` : formula;
      } else if (BLOCKS.has(name)) text += ' ';
    },
  });
  parser.end(html);
  return text.replace(/\s+/g, ' ').trim();
}

/** Signs between two operands. At the start of a row, or after another sign, they belong to what follows. */
const INFIX = /^(?:[-+−±∓×÷·∗⋅∘=≠<>≤≥≪≫≈≃≅≡∼∝∈∉∋⊂⊃⊆⊇∪∩∖∧∨∣∥⊥∶→←↔⇌↦⇒⇐⇔⟶⟵⟹⟺|:]|:=|mod)$/;
const OPENING = /[([{⟨⌊⌈√]$/;
/** Operators whose lower and upper scripts are a range. */
const LARGE = /^[∑∏∐∫∬∭∮⋃⋂⋁⋀⨁⨂]$/;
/** The first sign of the right side of an equation. */
const RELATION = /^[=<>≤≥≠≈≡→⇒⇔∈]/;
/** Stretchy braces. They are omitted: the script beside them carries the meaning. */
const BRACES = /^[⏞⏟⎴⎵]$/;
/** Already superscript characters. */
const RAISED = /^[′″‴°∗*†]+$/;
/** Not read aloud: function application, times and the like. */
const INVISIBLE = /[\u2060-\u2064\u200b-\u200f]/g;
/** Bold, script and other letters of mathematics. */
const LETTERS = /[\u{1d400}-\u{1d7ff}]/gu;

const ROOTS = new Map([
  ['2', '√'],
  ['3', '∛'],
  ['4', '∜'],
]);

/** Linearizes a MathML element. Visits each element once, because formulas can be deeply nested. */
function linearized(part: Element | undefined): string {
  if (!part) return '';
  const { name, attributes, children } = part;
  const [first, second, third] = children;
  if (isWidened(part)) return linearized(first);
  switch (name) {
    case 'mphantom':
      return '';
    case 'mspace':
      return attributes.width ? ' ' : '';
    case 'mfrac':
      // Without a line: n over k, as a column.
      if (parseFloat(attributes.linethickness ?? '1') === 0)
        return `${linearized(first)}; ${linearized(second)}`;
      return `${grouped(first, TERM)}/${grouped(second, TERM)}`;
    case 'msqrt':
      return `√${grouped({ ...part, name: 'mrow' })}`;
    case 'mroot':
      return (ROOTS.get(leafText(second)) ?? `${raised(second)}√`) + grouped(first);
    case 'msub':
      return scripted(first, second, undefined);
    case 'msup':
      return scripted(first, undefined, second);
    case 'msubsup':
      return scripted(first, second, third);
    case 'mmultiscripts':
      return withScripts(children);
    case 'munder':
      return withAccent(first, second) ?? withRange(first, second, undefined);
    case 'mover':
      return withAccent(first, second) ?? withRange(first, undefined, second);
    case 'munderover':
      return withRange(first, second, third);
    case 'mtable':
      return children.map(linearized).join('; ');
    case 'mtr':
      // The columns of aligned equations are parts of them.
      return children.slice(1).some((cell) => RELATION.test(textOf(unwrapped(cell)[0])))
        ? row(children)
        : children.map((cell) => linearized(cell).trim()).join(', ');
    default:
      if (isOverlined(part)) return `${grouped({ ...part, attributes: {} })}‾`;
      return children.length > 0 ? row(children) : textOf(part);
  }
}

/** Of an element without children. */
const textOf = (part: Element | undefined): string =>
  (part?.text ?? '')
    .replace(INVISIBLE, '')
    .replace(LETTERS, (letter) => letter.normalize('NFKC'))
    .replace(/\s+/g, ' ');

/** Elements that only group or style what is in them. */
const WRAPPERS = new Set(['math', 'mrow', 'mstyle', 'mpadded', 'mtd']);

const isOverlined = ({ attributes }: Element) => /\bf-over\b/.test(attributes.class ?? '');

/** A space above or below makes an arrow long enough. */
const isWidened = ({ name, children }: Element) =>
  /^m(?:und|ov)er$/.test(name) && children[1]?.name === 'mspace';

/** The elements in a wrapper and in the wrappers within it. */
function unwrapped(part: Element): Element[] {
  const { name, children } = part;
  if (isWidened(part)) return children.slice(0, 1).flatMap(unwrapped);
  const isWrapper = WRAPPERS.has(name) && children.length > 0 && !isOverlined(part);
  return isWrapper ? children.flatMap(unwrapped) : [part];
}

/** Joins sibling elements, with spaces around infix operators. */
function row(parts: readonly Element[]): string {
  let line = '';
  let isPrefix = true;
  const all = parts.flatMap(unwrapped);
  for (const [place, part] of all.entries()) {
    const next = all[place + 1];
    // (p/2)x and (p/2)(x + 1), which would else be read as p/(2x) and p/(2(x + 1)).
    const isFactor = part.name === 'mfrac' && next && (FACTOR.test(next.name) || isOpening(next));
    const text = isFactor ? grouped(part) : linearized(part);
    const sign = text.trim();
    const { fence, form } = part.attributes;
    if (fence === 'true' && form !== 'infix') {
      // The bars of \left| and \right|.
      line += text;
      isPrefix = form === 'prefix';
    } else if (part.name === 'mo' && INFIX.test(sign)) {
      line += isPrefix || OPENING.test(line) ? sign : ` ${sign} `;
      isPrefix = true;
    } else {
      // 3 1/2 is not 31/2, and 2 ⁿ√x is not 2ⁿ√x.
      if (/^[\p{L}\p{N}]/u.test(text) && /^m(?:frac|root)$/.test(part.name) && endsInWord(line))
        line += ' ';
      line += part.name === 'mo' && /^[,;]$/.test(sign) ? `${sign} ` : text;
      // The bars of |−x| are opening ones where an operand is missing.
      if (sign && sign !== '|') isPrefix = false;
    }
  }
  return line.replace(/ {2,}/g, ' ');
}

const isOpening = ({ attributes: { fence, form } }: Element): boolean =>
  fence === 'true' && form === 'prefix';

const endsInWord = (line: string): boolean => /[\p{L}\p{N}]/u.test(line.at(-1) ?? '');

/** The only visible element, or null. */
function onlyPart(part: Element | undefined): Element | null {
  const parts = part ? unwrapped(part).filter((it) => it.children.length > 0 || textOf(it)) : [];
  return parts.length === 1 ? parts[0]! : null;
}

const leafText = (part: Element | undefined): string => textOf(onlyPart(part) ?? undefined).trim();

/** A number, a letter or a word. */
const ATOM = /^m(?:i|n|o|text)$/;
/** Also a term with an exponent, an index or a root: above or below a fraction line it is clear without brackets. */
const TERM = /^m(?:i|n|o|text|sub|sup|subsup|sqrt|root)$/;
/** Multiplies the part before it. */
const FACTOR = /^m(?:i|n|sub|sup|subsup|sqrt|root|frac)$/;
const BRACKETED = /^[([{|⟨][^()[\]{}|⟨⟩]*[)\]}|⟩]$/;

/** In brackets, unless it is clear without them. */
function grouped(part: Element | undefined, clear = ATOM, text = linearized(part).trim()): string {
  const isClear = text === '' || BRACKETED.test(text) || clear.test(onlyPart(part)?.name ?? '');
  return isClear ? text : `(${text})`;
}

const scripted = (of: Element | undefined, below?: Element, above?: Element): string =>
  LARGE.test(leafText(of))
    ? withRange(of, below, above)
    : grouped(of) + lowered(below) + raised(above);

/** A base with scripts on both sides: pairs of a lower and an upper one, and after `mprescripts` those before it. */
function withScripts([base, ...scripts]: readonly Element[]): string {
  const end = scripts.findIndex(({ name }) => name === 'mprescripts');
  const sides = end < 0 ? [[], scripts] : [scripts.slice(end + 1), scripts.slice(0, end)];
  const [before = '', after = ''] = sides.map((side) =>
    side.map((part, place) => (place % 2 === 0 ? lowered(part) : raised(part))).join(''),
  );
  return before + grouped(base) + after;
}

function raised(part: Element | undefined): string {
  const text = linearized(part).trim().replace(/^∘$/, '°');
  if (text === '' || RAISED.test(text)) return text;
  return superscript(text) ?? `^${grouped(part, ATOM, text)}`;
}

function lowered(part: Element | undefined): string {
  const text = linearized(part).trim();
  return subscript(text) ?? `_${grouped(part, ATOM, text)}`;
}

/** A base with its accent (a line, an arrow, a hat or a brace); null if the script is text. */
function withAccent(of: Element | undefined, by: Element | undefined): string | null {
  const sign = onlyPart(by)?.name === 'mo' ? leafText(by) : '';
  if (sign === '' || /[\p{Lu}\p{Ll}\p{N}]/u.test(sign)) return null;
  return BRACES.test(sign) ? linearized(of) : grouped(of) + sign;
}

/** A base with its range: a sum, an integral or a limit. */
function withRange(of?: Element, from?: Element, to?: Element): string {
  const script = (sign: string, part?: Element) => {
    const text = grouped(part);
    return text && sign + text;
  };
  return `${grouped(of)}${script('_', from)}${script('^', to)} `;
}
