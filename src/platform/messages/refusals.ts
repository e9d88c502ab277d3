import { IntlMessageFormat } from 'intl-messageformat';
import { escapeRegExp } from '../text/text.rules';
import type { MessageKey, Messages, MessageValues } from './messages';
import { CATALOGUES } from './messages';

/** An element of a parsed sentence, by FormatJS's numbers of its types. */
interface Element {
  type: number;
  value?: string;
  options?: Record<string, { value: Element[] }>;
}
const [LITERAL, PLURAL, POUND] = [0, 6, 7];

/** A sentence of the catalogue as services write it: `Use at least 10 characters`. */
interface Refusal {
  key: MessageKey;
  pattern: RegExp;
  /** The placeholder of each group of the pattern. */
  names: string[];
}

function refusalOf(key: MessageKey): Refusal {
  const names: string[] = [];
  const group = (name: string, of: string) => {
    names.push(name);
    return `(${of})`;
  };
  const source = (elements: Element[], number = ''): string =>
    elements
      .map(({ type, value = '', options = {} }) => {
        if (type === LITERAL) return escapeRegExp(value);
        if (type === POUND) return group(number, '[\\d,]+');
        if (type !== PLURAL) return group(value, '.*?');
        return `(?:${Object.values(options)
          .map((option) => source(option.value, value))
          .join('|')})`;
      })
      .join('');
  const ast = new IntlMessageFormat(CATALOGUES.en[key], 'en').getAst() as Element[];
  // Forms begin a sentence with a small letter, and reports end it.
  return { key, pattern: new RegExp(`^${source(ast)}\\.?$`, 'is'), names };
}

let refusals: Refusal[] | undefined;

/**
 * What a service refuses, in the reader's language. Services write English, for programs and logs; the sentences that
 * the pages for everybody can show are in the catalogues under `refusal.`, in English as the services write them. Any
 * other stays as it is.
 */
export function translated(english: string, { t, language }: Messages): string {
  if (language === 'en') return english;
  refusals ??= (Object.keys(CATALOGUES.en) as MessageKey[])
    .filter((key) => key.startsWith('refusal.'))
    .map(refusalOf);
  for (const { key, pattern, names } of refusals) {
    const found = CATALOGUES[language][key] !== undefined && pattern.exec(english);
    if (!found) continue;
    const values: Record<string, string | number> = {};
    names.forEach((name, index) => {
      const text = found[index + 1];
      if (text !== undefined) values[name] = /^[\d,]+$/.test(text) ? digits(text) : text;
    });
    const text = t(key, values satisfies MessageValues);
    return english.endsWith('.') && !/[.!?]$/.test(text) ? `${text}.` : text;
  }
  return english;
}

const digits = (text: string) => Number(text.replaceAll(',', ''));
