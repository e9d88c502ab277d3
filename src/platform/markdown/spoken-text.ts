import { Parser } from 'htmlparser2';

/**
 * The text of rendered Markdown, for what holds no markup: names of controls, which browsers do not read from MathML, and
 * lines of lists. Formulas are written in one line, with signs that screen readers know in every language: "√(x + 1)", "x²",
 * "(a + b)/c".
 */

interface Element {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: Element[];
  /** Of an element without children. */
  text: string;
}

/** Around these a text has a space: they stand apart from it. */
const APART = new Set(['p', 'ul', 'ol', 'li', 'blockquote', 'th', 'td', 'div', 'br', 'hr']);

/** @param html as the renderer of Markdown writes it */
export function textOfHtml(html: string): string {
  let text = '';
  const open: Element[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'math' || open.length > 0)
        open.push({ name, attributes, children: [], text: '' });
      else if (name === 'img') text += attributes.alt ?? '';
      else if (APART.has(name) || attributes.class?.includes('code-block')) text += ' ';
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
        const formula = written(element);
        text += element.attributes.display === 'block' ? ` ${formula} ` : formula;
      } else if (APART.has(name)) text += ' ';
    },
  });
  parser.end(html);
  return text.replace(/\s+/g, ' ').trim();
}

/** Signs between two operands. At the start, and after another of them, they belong to what follows. */
const INFIX = /^(?:[-+−±∓×÷·∗⋅∘=≠<>≤≥≪≫≈≃≅≡∼∝∈∉∋⊂⊃⊆⊇∪∩∖∧∨∣∥⊥∶→←↔↦⇒⇐⇔⟶⟵⟹⟺|:]|:=|mod)$/;
const OPENING = /[([{⟨⌊⌈√]$/;
/** Have a range below and above. */
const LARGE = /^[∑∏∐∫∬∭∮⋃⋂⋁⋀⨁⨂]$/;
/** Begin the right side of an equation. */
const RELATION = /^[=<>≤≥≠≈≡→⇒⇔∈]/;
/** Stretched below or above a term: what is written at them says it all. */
const BRACES = /^[⏞⏟⎴⎵]$/;
/** Are superscripts already. */
const RAISED = /^[′″‴°∗*†]+$/;
/** Not read aloud: function application, times and the like. */
const INVISIBLE = /[\u2060-\u2064\u200b-\u200f]/g;
/** Bold, script and other letters of mathematics. */
const LETTERS = /[\u{1d400}-\u{1d7ff}]/gu;

const SUPERSCRIPTS = scripts('0123456789+−-=()ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ');
const SUBSCRIPTS = scripts('0123456789+−-=()', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎');
const ROOTS: Readonly<Record<string, string>> = { '2': '√', '3': '∛', '4': '∜' };

function scripts(from: string, to: string): ReadonlyMap<string, string> {
  const signs = [...to];
  return new Map([...from].map((sign, at) => [sign, signs[at] ?? sign]));
}

/** A part of a formula in one line. Reads each element once: formulas are nested deeply. */
function written(part: Element | undefined): string {
  if (!part) return '';
  const { name, attributes, children } = part;
  const [first, second, third] = children;
  switch (name) {
    case 'mphantom':
      return '';
    case 'mspace':
      return attributes.width ? ' ' : '';
    case 'mfrac':
      // Without a line: n over k, as a column.
      if (attributes.linethickness?.startsWith('0')) return `${written(first)}; ${written(second)}`;
      return `${grouped(first, TERM)}/${grouped(second, TERM)}`;
    case 'msqrt':
      return `√${grouped({ ...part, name: 'mrow' })}`;
    case 'mroot':
      return (ROOTS[leafText(second)] ?? `${raised(second)}√`) + grouped(first);
    case 'msub':
      return scripted(first, second, undefined);
    case 'msup':
      return scripted(first, undefined, second);
    case 'msubsup':
      return scripted(first, second, third);
    case 'munder':
      return decorated(first, second) ?? ranged(first, second, undefined);
    case 'mover':
      return decorated(first, second) ?? ranged(first, undefined, second);
    case 'munderover':
      return ranged(first, second, third);
    case 'mtable':
      return children.map(written).join('; ');
    case 'mtr':
      // The columns of aligned equations are parts of them.
      return children.slice(1).some((cell) => RELATION.test(textOf(unwrapped(cell)[0])))
        ? row(children)
        : children.map((cell) => written(cell).trim()).join(', ');
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

/** What a wrapper holds, without those within it. */
const unwrapped = (part: Element): Element[] =>
  WRAPPERS.has(part.name) && part.children.length > 0 && !isOverlined(part)
    ? part.children.flatMap(unwrapped)
    : [part];

/** What stands side by side. */
function row(parts: readonly Element[]): string {
  let line = '';
  let isPrefix = true;
  const all = parts.flatMap(unwrapped);
  for (const [place, part] of all.entries()) {
    // (p/2)x, which would else be read as p/(2x).
    const isFactor = part.name === 'mfrac' && FACTOR.test(all[place + 1]?.name ?? '');
    const text = isFactor ? grouped(part) : written(part);
    const sign = text.trim();
    if (part.name === 'mo' && INFIX.test(sign)) {
      line += isPrefix || OPENING.test(line) ? sign : ` ${sign} `;
      isPrefix = true;
    } else {
      line += part.name === 'mo' && /^[,;]$/.test(sign) ? `${sign} ` : text;
      // The bars of |−x| are opening ones where an operand is missing.
      if (sign && sign !== '|') isPrefix = false;
    }
  }
  return line.replace(/ {2,}/g, ' ');
}

/** The only element that is to be seen. */
function onlyPart(part: Element | undefined): Element | null {
  const parts = part ? unwrapped(part).filter((it) => it.children.length > 0 || textOf(it)) : [];
  return parts.length === 1 ? parts[0]! : null;
}

const leafText = (part: Element | undefined): string => textOf(onlyPart(part) ?? undefined).trim();

/** A number, a letter or a word. */
const ATOM = /^m(?:i|n|o|text)$/;
/** Also with an exponent or an index, or a root: above and below a line it is clear without brackets. */
const TERM = /^m(?:i|n|o|text|sub|sup|subsup|sqrt|root)$/;
/** Multiplies what stands before it. */
const FACTOR = /^m(?:i|n|sub|sup|subsup|sqrt|root|frac)$/;
const BRACKETED = /^[([{|⟨][^()[\]{}|⟨⟩]*[)\]}|⟩]$/;

/** In brackets, unless it is clear without them. */
function grouped(part: Element | undefined, clear = ATOM, text = written(part).trim()): string {
  const isClear = text === '' || BRACKETED.test(text) || clear.test(onlyPart(part)?.name ?? '');
  return isClear ? text : `(${text})`;
}

const scripted = (of: Element | undefined, below?: Element, above?: Element): string =>
  LARGE.test(leafText(of))
    ? ranged(of, below, above)
    : grouped(of) + lowered(below) + raised(above);

function raised(part: Element | undefined): string {
  const text = written(part).trim().replace(/^∘$/, '°');
  if (text === '' || RAISED.test(text)) return text;
  return replaced(text, SUPERSCRIPTS) ?? `^${grouped(part, ATOM, text)}`;
}

function lowered(part: Element | undefined): string {
  const text = written(part).trim();
  return replaced(text, SUBSCRIPTS) ?? `_${grouped(part, ATOM, text)}`;
}

/** With other signs, without spaces; null: there is none for one of them. */
function replaced(text: string, signs: ReadonlyMap<string, string>): string | null {
  const plain = [...text.replaceAll(' ', '')];
  return plain.every((sign) => signs.has(sign))
    ? plain.map((sign) => signs.get(sign)).join('')
    : null;
}

/** With a line, an arrow, a hat or a brace; null: with a text. */
function decorated(of: Element | undefined, by: Element | undefined): string | null {
  const sign = onlyPart(by)?.name === 'mo' ? leafText(by) : '';
  if (sign === '' || /[\p{Lu}\p{Ll}\p{N}]/u.test(sign)) return null;
  return BRACES.test(sign) ? written(of) : grouped(of) + sign;
}

/** Of a sum, an integral or a limit. */
const ranged = (of?: Element, from?: Element, to?: Element): string =>
  `${grouped(of)}${from ? `_${grouped(from)}` : ''}${to ? `^${grouped(to)}` : ''} `;
