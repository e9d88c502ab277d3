import { IntlMessageFormat } from 'intl-messageformat';
import { escapeRegExp } from '../text/text.rules';
import type { MessageKey, Messages, MessageValues } from './messages';
import { CATALOGUES } from './messages';

/**
 * Finds the catalogue entry that matches an English text written by a service. Why errors carry their sentence and not its key:
 * docs/adr/0027-parts-of-our-own.md, "Sentences of services are found by their text".
 */

/** An element of a parsed sentence, by FormatJS's numbers of its types. */
interface Element {
  type: number;
  value?: string;
  options?: Record<string, { value: Element[] }>;
}
const [LITERAL, SELECT, PLURAL, POUND] = [0, 5, 6, 7];

/** A sentence of the catalogue as services write it: `Use at least 10 characters`. */
interface ServiceSentence {
  key: MessageKey;
  pattern: RegExp;
  /** The placeholder of each group of the pattern. */
  names: string[];
}

function sentenceOf(key: MessageKey): ServiceSentence {
  const names: string[] = [];
  // The name comes first: groups are numbered by where they open, and a select may have groups inside.
  const group = (name: string, of: () => string) => {
    names.push(name);
    return `(${of()})`;
  };
  const source = (elements: Element[], number = ''): string =>
    elements
      .map(({ type, value = '', options = {} }) => {
        if (type === LITERAL) return escapeRegExp(value);
        if (type === POUND) return group(number, () => '[\\d,]+');
        const choices = () =>
          Object.values(options)
            .map((option) => source(option.value, value))
            .join('|');
        if (type === SELECT) return group(value, choices);
        return type === PLURAL ? `(?:${choices()})` : group(value, () => '.*?');
      })
      .join('');
  const ast = new IntlMessageFormat(CATALOGUES.en[key], 'en').getAst() as Element[];
  // Forms begin a sentence with a small letter, and reports add a full stop or take it away.
  const text = source(ast).replace(/\\\.$/, '');
  return { key, pattern: new RegExp(`^${text}\\.?$`, 'is'), names };
}

/** What services write in English, by the start of its keys: errors, and texts that pages show with their data. */
export const WRITTEN_BY_SERVICES = [
  'refusal.',
  'scope.',
  'event.',
  'notice.',
  'change.',
  'kind.',
  'check.',
  'fileFormat.',
] as const;

type Family = (typeof WRITTEN_BY_SERVICES)[number];

const families = new Map<string, ServiceSentence[]>();

function familyOf(start: string): ServiceSentence[] {
  const parsed = families.get(start);
  if (parsed) return parsed;
  const family = (Object.keys(CATALOGUES.en) as MessageKey[])
    .filter((key) => key.startsWith(start))
    .map(sentenceOf);
  families.set(start, family);
  return family;
}

/**
 * What a service writes, in the reader's language. Services write English, for programs and logs; what pages can show is
 * in the catalogues, errors under `refusal.`, in English as the services write it. Any other text stays as it is.
 */
export function translated(
  english: string,
  messages: Messages,
  ...starts: (Family | 'report.')[]
): string {
  if (messages.language === 'en') return english;
  const sentences = (starts.length > 0 ? starts : ['refusal.']).flatMap(familyOf);
  return (
    inLanguage(english, messages, sentences) ??
    severalInLanguage(english, messages, sentences) ??
    english
  );
}

/** null for a text that is none of the sentences. */
function inLanguage(
  english: string,
  messages: Messages,
  sentences: readonly ServiceSentence[],
): string | null {
  const { t, language } = messages;
  for (const { key, pattern, names } of sentences) {
    const found = CATALOGUES[language][key] !== undefined && pattern.exec(english);
    if (!found) continue;
    const values: Record<string, string | number> = {};
    names.forEach((name, index) => {
      const text = found[index + 1];
      if (text === undefined) return;
      // What is in quotes was written by somebody: the answer “1,000” is no number of ours.
      const isQuoted = CATALOGUES.en[key].includes(`“{${name}}”`);
      if (NUMBER.test(text) && !isQuoted) values[name] = digits(text);
      else values[name] = name === 'why' ? reasonIn(text, messages, sentences) : text;
    });
    return withFullStop(t(key, values satisfies MessageValues), english.endsWith('.'));
  }
  return null;
}

/**
 * A reason is a sentence of its own, or some with commas, `1: 50 % counts as wrong, 2: 100 % counts as correct`, or a
 * choice of what to do: `Delete 1 of your quizzes or upgrade your plan`.
 */
function reasonIn(
  english: string,
  messages: Messages,
  sentences: readonly ServiceSentence[],
): string {
  const parts = english.split(', ').map((part) => inLanguage(part, messages, sentences));
  if (!parts.includes(null)) return parts.join(', ');
  return (
    inLanguage(english, messages, sentences) ?? choiceIn(english, messages, sentences) ?? english
  );
}

/** Each way is in the catalogue as if it were the only one, with a capital letter. */
function choiceIn(
  english: string,
  messages: Messages,
  sentences: readonly ServiceSentence[],
): string | null {
  const ways = english.split(/,? or |, /).map((way) => inLanguage(way, messages, sentences));
  if (ways.includes(null)) return null;
  const [first = '', ...others] = ways.map(String);
  const small = others.map((way) => way.charAt(0).toLowerCase() + way.slice(1));
  return new Intl.ListFormat(messages.locale, { type: 'disjunction' }).format([first, ...small]);
}

/** The errors of a row, which are in one sentence: `The question has no text: write it; no answer is …`. */
function severalInLanguage(
  english: string,
  messages: Messages,
  sentences: readonly ServiceSentence[],
): string | null {
  const parts = english.replace(/\.$/, '').split('; ');
  if (parts.length < 2) return null;
  const each = parts.map((part) => inLanguage(part, messages, sentences));
  return each.includes(null) ? null : each.map((it) => withFullStop(it!, true)).join(' ');
}

const withFullStop = (text: string, isWanted: boolean) =>
  isWanted && !/[.!?]$/.test(text) ? `${text}.` : text;

/** The title or the detail of a notice: an error may have caused it, or a player has given a reason. */
export const noticeText = (english: string, messages: Messages): string =>
  translated(english, messages, 'notice.', 'report.', 'refusal.');

/** As services write numbers; `007` may be a title. */
const NUMBER = /^(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3})+)$/;

const digits = (text: string) => Number(text.replaceAll(',', ''));
