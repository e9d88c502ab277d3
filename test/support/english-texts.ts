import { Parser } from 'htmlparser2';
import { IntlMessageFormat } from 'intl-messageformat';
import { CATALOGUES } from '../../src/platform/messages/messages';

/** Elements whose texts are somebody's data, or code. An element with its own `lang` is an author's text. */
const DATA = new Set(['script', 'style', 'code', 'pre', 'svg', 'textarea', 'bdi', 'kbd']);
/** Attributes that people read or hear. */
const READ = ['aria-label', 'title', 'placeholder', 'alt', 'data-copied', 'data-failed'];

const tidied = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The whole of a text that is cut off: data. */
const isWhole = (name: string, of: Record<string, string>) =>
  name === 'title' && /\bclip\b/.test(of.class ?? '');

/** What a page says: its texts, each up to the next tag, and the attributes that are read. */
export function textsOf(html: string): string[] {
  const texts: string[] = [];
  const open: boolean[] = [];
  const isData = () => open.includes(true);
  const add = (text: string) => {
    const tidy = tidied(text);
    if (tidy && !isData()) texts.push(tidy);
  };
  let text = '';
  const endText = () => {
    add(text);
    text = '';
  };
  const parser = new Parser({
    onopentag(tag, of) {
      endText();
      for (const name of READ) if (of[name] && !isWhole(name, of)) add(of[name]);
      const isAuthors = tag !== 'html' && ('lang' in of || of.dir === 'auto');
      open.push(DATA.has(tag) || isAuthors || /\b(?:mono|said)\b/.test(of.class ?? ''));
    },
    // Entities are reported apart from the text around them.
    ontext: (part) => void (text += part),
    onclosetag() {
      endText();
      open.pop();
    },
    onend: endText,
  });
  parser.end(html);
  return texts;
}

const LITERAL = 0;
const POUND = 7;
type Ast = ReturnType<IntlMessageFormat['getAst']>;

const astOf = (sentence: string) => new IntlMessageFormat(sentence, 'en').getAst();

/** Parts of English sentences that German does not have, and are long enough not to be found by chance. */
const sentences = (() => {
  const german = Object.values(CATALOGUES.de).join('\n');
  return Object.values(CATALOGUES.en)
    .flatMap(astOf)
    .flatMap((it) => (Number(it.type) === LITERAL && 'value' in it ? [tidied(it.value)] : []))
    .filter((part) => part.split(' ').length >= 3 && !german.includes(part));
})();

/** All that a sentence can say, as patterns: one for each choice of its branches, with a line break for a tag. */
const patternsOf = (ast: Ast): string[] =>
  ast.reduce<string[]>(
    (before, it) => {
      let next = ['.+'];
      if ('options' in it)
        next = Object.values(it.options).flatMap(({ value }) => patternsOf(value));
      else if ('children' in it) next = patternsOf(it.children).map((text) => `\n${text}\n`);
      else if (Number(it.type) === POUND) next = ['[0-9.,]+'];
      else if (Number(it.type) === LITERAL && 'value' in it)
        next = [it.value.replace(/\s+/g, ' ').replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')];
      return before.flatMap((start) => next.map((end) => start + end));
    },
    [''],
  );

const formsOf = (catalogue: object) =>
  new Set(
    Object.values(catalogue)
      .flatMap((sentence: string) => patternsOf(astOf(sentence)))
      .flatMap((pattern) => pattern.split('\n'))
      .map((form) => form.trim())
      .filter((form) => /\p{L}/u.test(form)),
  );

/** Whole sentences and labels that are other ones in German, with anything for their placeholders. */
const whole = (() => {
  const german = formsOf(CATALOGUES.de);
  const english = [...formsOf(CATALOGUES.en)].filter((form) => !german.has(form));
  return new RegExp(`^(?:${english.join('|')})$`, 'u');
})();

/** Words that German does not have. */
const WORDS =
  /(?<![\p{L}-])(?:the|and|your|you|with|this|of|is|are|has|have|its|it|cannot|must|from|that|than|nothing|which|only|found)(?![\p{L}-])/iu;

/** The end of an API key, in which a word may stand by chance. */
const KEY_END = /…\w{4}\b/g;

/** Pages have most texts in common: each is looked at once. */
const known = new Map<string, boolean>();

function isEnglish(text: string): boolean {
  const is =
    known.get(text) ??
    (whole.test(text) ||
      WORDS.test(text.replaceAll(KEY_END, '')) ||
      sentences.some((part) => text.includes(part)));
  known.set(text, is);
  return is;
}

/** Texts of a German page that are in English. */
export const englishIn = (html: string): string[] => textsOf(html).filter(isEnglish);
