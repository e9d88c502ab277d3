import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { escapeRegExp } from '../text/text.rules';
import dashboard from './dashboard.en.json';
import { DASHBOARD_LANGUAGES, type Language, LANGUAGE_NAMES, LANGUAGES } from './languages';
import { CATALOGUES, type MessageKey, messagesIn, type MessageValues } from './messages';
import { translated, WRITTEN_BY_SERVICES } from './refusals';

const isWrittenByService = (key: string) =>
  WRITTEN_BY_SERVICES.some((start) => key.startsWith(start));

const OTHERS = LANGUAGES.filter((language) => language !== 'en');
const KEYS = Object.keys(CATALOGUES.en) as MessageKey[];

/** The sentences that a language must have: those of the dashboard are in fewer languages. */
const keysOf = (language: Language) =>
  DASHBOARD_LANGUAGES.some((it) => it === language)
    ? KEYS
    : KEYS.filter((key) => !Object.hasOwn(dashboard, key));

/** Sentences that are the same in another language. A new one needs a reason. */
const SAME_AS_ENGLISH: Partial<Record<MessageKey, { in: Language[]; because: string }>> = {
  'page.error': { in: ['es'], because: 'the word is the same' },
  'duration.hours': { in: ['de', 'fr', 'es', 'pt', 'it', 'pl'], because: 'it is a symbol' },
  'duration.minutes': { in: ['de', 'fr', 'es', 'pt', 'it', 'pl'], because: 'it is a symbol' },
  'duration.seconds': { in: ['de', 'fr', 'es', 'pt', 'it', 'pl'], because: 'it is a symbol' },
  'count.questions': { in: ['fr'], because: 'the words are the same' },
  'player.quiz': { in: ['de', 'fr', 'it', 'pl'], because: 'the word is the same' },
  'player.question': { in: ['fr'], because: 'the word is the same' },
  'site.docs': { in: ['fr'], because: 'the word is the same' },
  'list.pages': { in: ['fr'], because: 'the word is the same' },
  'landing.questions': { in: ['fr'], because: 'the word is the same' },
  'catalogue.page': { in: ['fr'], because: 'the word is the same' },
  'signIn.password': { in: ['it'], because: 'the word is the same' },
  'email.account': { in: ['it'], because: 'the word is the same' },
  'nav.webhooks': { in: ['de'], because: 'the word is the same' },
  'nav.administration': { in: ['de'], because: 'the word is the same' },
  'format.markdown': { in: ['de'], because: 'it is a name' },
  'quiz.details': { in: ['de'], because: 'the word is the same' },
  'tool.code': { in: ['de'], because: 'the word is the same' },
  'editor.format': { in: ['de'], because: 'the word is the same' },
  'link.code': { in: ['de'], because: 'the word is the same' },
  'embed.element': { in: ['de'], because: 'the word is the same' },
  'field.name': { in: ['de'], because: 'the word is the same' },
  'import.import': { in: ['de'], because: 'the word is the same' },
  'column.format': { in: ['de'], because: 'the word is the same' },
  'account.browser': { in: ['de'], because: 'the word is the same' },
  'apiKey.status': { in: ['de'], because: 'the word is the same' },
  'apiKey.live': { in: ['de'], because: 'it is the mode’s name, as in the prefix of the key' },
  'secret.inPython': { in: ['de'], because: 'the words are the same' },
  'delivery.body': { in: ['de'], because: 'it is the term of HTTP' },
  'delivery.ms': { in: ['de'], because: 'it is a symbol' },
  'review.inMarkdown': { in: ['de'], because: 'it is a name' },
  'accounts.administrator': { in: ['de'], because: 'the word is the same' },
  'accounts.link': { in: ['de'], because: 'the word is the same' },
  'audit.detail': { in: ['de'], because: 'the word is the same' },
  'audit.of.webhook': { in: ['de'], because: 'the word is the same' },
  'guest.name': { in: ['de', 'pl'], because: 'it has only placeholders' },
};

/** An element of a parsed sentence: `value` is the name of a placeholder, except in a text. */
interface Element {
  type: number;
  value?: string;
  options?: Record<string, { value: Element[] }>;
  pluralType?: 'cardinal' | 'ordinal';
  children?: Element[];
}
/** Stands for a placeholder. */
const VALUE = '\uFFFC';
const [LITERAL, ARGUMENT, NUMBER, SELECT, PLURAL] = [0, 1, 2, 5, 6];

const parsed = new Map<string, Element[]>();

/** Each sentence is parsed once: the tests ask for it many times. */
function parse(language: Language, key: MessageKey): Element[] {
  const name = `${language} ${key}`;
  let elements = parsed.get(name);
  if (!elements) {
    elements = new IntlMessageFormat(CATALOGUES[language][key]!, language).getAst();
    parsed.set(name, elements);
  }
  return elements;
}

/** All elements of a sentence, with those within others. */
const all = (elements: Element[]): Element[] =>
  elements.flatMap((element) => [
    element,
    ...all(element.children ?? []),
    ...all(Object.values(element.options ?? {}).flatMap(({ value }) => value)),
  ]);

const placeholders = (language: Language, key: MessageKey) => [
  ...new Set(
    all(parse(language, key)).flatMap(({ type, value, children }) =>
      type === LITERAL || value === undefined ? [] : [children ? `<${value}>` : value],
    ),
  ),
];

/** The plural forms of numbers up to 200: `many` of es, fr, it and pt begins at a million and falls back on `other`. */
const formsOf = (language: Language) => {
  const rules = new Intl.PluralRules(language);
  return new Set(Array.from({ length: 201 }, (_, number) => rules.select(number)));
};

test.each(LANGUAGES)('the catalogue %s has the keys of English, in the same order', (language) => {
  expect(Object.keys(CATALOGUES[language])).toEqual(keysOf(language));
});

test.each(OTHERS)('each sentence in %s has the placeholders of English', (language) => {
  const wrong = keysOf(language).filter((key) => {
    const [here, there] = [placeholders(language, key), placeholders('en', key)];
    // What a service names in English may be left out.
    const mayMiss = key.startsWith('refusal.');
    return !(here.every((it) => there.includes(it)) && (mayMiss || here.length === there.length));
  });
  expect(wrong).toEqual([]);
});

test.each(LANGUAGES)('each plural in %s has all forms of the language', (language) => {
  const forms = [...formsOf(language)];
  const incomplete = keysOf(language).filter((key) =>
    all(parse(language, key)).some(
      ({ pluralType, options = {} }) =>
        pluralType === 'cardinal' && !forms.every((form) => form in options),
    ),
  );
  expect(incomplete).toEqual([]);
});

test.each(OTHERS)('no sentence in %s was left in English', (language) => {
  const left = keysOf(language).filter(
    (key) =>
      CATALOGUES[language][key] === CATALOGUES.en[key] &&
      !SAME_AS_ENGLISH[key]?.in.includes(language),
  );
  expect(left).toEqual([]);
  // Words that no other of the languages has.
  const english = /(?<!\p{L})(the|and|your|you|with|this|what|answers?)(?!\p{L})/iu;
  const text = (key: MessageKey) =>
    all(parse(language, key)).flatMap(({ type, value = '' }) => (type === LITERAL ? [value] : []));
  // A German sentence may quote what a file says, such as „ANSWER: A“.
  const own = (key: MessageKey) =>
    text(key)
      .join(' ')
      .replace(/„[^“]*“/g, '');
  expect(keysOf(language).filter((key) => english.test(own(key)))).toEqual([]);
});

test('French has no-break spaces before its punctuation, so no line begins with it', () => {
  const breaking = keysOf('fr').filter((key) => / [:;!?»]|« /.test(CATALOGUES.fr[key]!));
  expect(breaking).toEqual([]);
});

test.each([
  ['de', '„“'],
  ['fr', '«»'],
  ['es', '«»'],
  ['pt', '“”'],
  ['it', '«»'],
  ['pl', '„”'],
  ['ar', '«»'],
] as const)('%s has one kind of quotation marks: %s', (language, marks) => {
  const used = new Set(
    keysOf(language).flatMap((key) => CATALOGUES[language][key]!.match(/[«»„“”]/g) ?? []),
  );
  expect([...used].filter((mark) => !marks.includes(mark))).toEqual([]);
});

test('the list of sentences that are the same as in English names no other', () => {
  for (const [key, same] of Object.entries(SAME_AS_ENGLISH))
    for (const language of same.in)
      expect([key, CATALOGUES[language][key as MessageKey]]).toEqual([
        key,
        CATALOGUES.en[key as MessageKey],
      ]);
});

/**
 * Whether a line of code has all of each sentence: in order and from its beginning, with anything for its values. A value
 * that begins a sentence may be added elsewhere.
 * @param lines in lower case, each with a line break
 */
function isWritten(key: MessageKey, lines: string): boolean {
  const text = parse('en', key)
    .map(({ type, value }) => (type === LITERAL ? value!.toLowerCase() : VALUE))
    .join('');
  return text.split(/(?<=\.)\s/).every((sentence) => {
    const parts = sentence.replace(/\.$/, '').split(VALUE);
    if (parts[0] === '') parts.splice(0, 2, parts[1]!.trimStart());
    const pattern = parts.map(escapeRegExp).join('.*');
    const whole = new RegExp(`(?:^|[^\\p{L}])${pattern}(?:$|[^\\p{L}])`, 'u');
    const [longest = ''] = parts.sort((a, b) => b.length - a.length);
    // A sentence of a value only.
    if (longest === '') return true;
    return linesWith(longest, lines).some((it) => whole.test(it));
  });
}

/** The lines that contain the part. One search in all of them takes a tenth of the time of one in each. */
function linesWith(part: string, lines: string): string[] {
  const found: string[] = [];
  for (let at = lines.indexOf(part); at >= 0;) {
    const end = lines.indexOf('\n', at);
    found.push(lines.slice(lines.lastIndexOf('\n', at) + 1, end));
    at = lines.indexOf(part, end);
  }
  return found;
}

test.each(OTHERS)(
  'what a service writes in English is recognised in %s as its own key',
  (language) => {
    const messages = messagesIn(language);
    const wrong = keysOf(language)
      .filter((key) => isWrittenByService(key) || key.startsWith('report.'))
      .flatMap((key) => {
        const family = `${key.split('.')[0]!}.` as Parameters<typeof translated>[2];
        return [0, 1, 2].flatMap((turn) => {
          const values = valuesOf(key, language, turn);
          const english = messagesIn('en').t(key, values);
          const text = translated(english, messages, family);
          return text === messages.t(key, values) ? [] : [[key, english, text]];
        });
      });
    expect(wrong).toEqual([]);
  },
);

/** A value for each placeholder: numbers where one of the languages counts, and each choice in turn. */
function valuesOf(key: MessageKey, language: Language, turn: number): MessageValues {
  const elements = [...all(parse(language, key)), ...all(parse('en', key))];
  const values: Record<string, string | number> = {};
  for (const { type, value } of elements)
    if (value !== undefined && type === ARGUMENT) values[value] ??= `“${value}”`;
  for (const { type, value, options } of elements) {
    if (value === undefined) continue;
    if (type === NUMBER || type === PLURAL) values[value] = [1, 7, 1_234][turn]!;
    const choices = Object.keys(options ?? {});
    if (type === SELECT) values[value] = choices[turn % choices.length]!;
  }
  return values;
}

test('each sentence is used', () => {
  const source = join(__dirname, '../..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts'),
  );
  const codeOf = (some: string[]) =>
    some.map((file) => readFileSync(join(source, file), 'utf8')).join('\n');
  const code = codeOf(files);
  // No string or template of a sentence is longer than its line.
  const lines = code
    .split('\n')
    .filter((line) => /['"`]/.test(line))
    .map((line) => `${line.replace(/\\(['"`\\])/g, '$1').toLowerCase()}\n`)
    .join('');
  // `difficulty.${…}` of a page uses all that begin so.
  const pages = codeOf(files.filter((file) => file.startsWith('web/')));
  const families = [...pages.matchAll(/(?:\bt\(\s*|[?:=] )`([a-z][A-Za-z.]*\.)\$\{/g)].map(
    ([, start]) => start!,
  );
  const quoted = new Set(code.match(/(?<=')[\w.-]+(?=')/g));
  // One that begins like the sentences of a page would count all of them. Two have only a sentence for each value.
  const mixed = families.filter(
    (start) =>
      /^\w+\.$/.test(start) &&
      !['format.', 'type.'].includes(start) &&
      KEYS.some((key) => key.startsWith(start) && quoted.has(key)),
  );
  expect(mixed).toEqual([]);
  const isUsed = (key: MessageKey) =>
    isWrittenByService(key)
      ? isWritten(key, lines)
      : quoted.has(key) || families.some((start) => key.startsWith(start));
  expect(KEYS.filter((key) => !isUsed(key))).toEqual([]);
});

test('plural forms, ordinals and numbers follow the language', () => {
  const questions = (language: Language, ...counts: number[]) =>
    counts.map((count) => messagesIn(language).t('count.questions', { count }));
  expect(questions('en', 1, 2, 1_234)).toEqual(['1 question', '2 questions', '1,234 questions']);
  expect(questions('de', 1, 1_234)).toEqual(['1 Frage', '1.234 Fragen']);
  expect(questions('ar', 1, 2, 3, 11)).toEqual(['سؤال واحد', 'سؤالان', '3 أسئلة', '11 سؤالًا']);
  const ranks = [1, 2, 3, 4, 11].map((rank) => messagesIn('en').t('result.rank', { rank }));
  expect(ranks.map((text) => /\d+\w+/.exec(text)?.[0])).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
  ]);
  expect(messagesIn('de').number(1_234.5)).toBe('1.234,5');
  expect(messagesIn('de').enumerated(['eins', 'zwei'])).toBe('eins, zwei');
  expect(messagesIn('ar').enumerated(['واحد', 'اثنان'])).toBe('واحد، اثنان');
});

test('a sentence without one of its values is an error, and so it does not reach a reader', () => {
  expect(() => messagesIn('en').t('player.progress', { number: 1 })).toThrow('total');
});

test('each language is listed by its own name', () => {
  for (const language of LANGUAGES) {
    const name = new Intl.DisplayNames(language, { type: 'language' }).of(language)!;
    expect(LANGUAGE_NAMES[language].toLowerCase()).toBe(name.toLowerCase());
  }
});
