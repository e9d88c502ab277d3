import { Parser } from 'htmlparser2';
import { IntlMessageFormat } from 'intl-messageformat';
import { CATALOGUES, type MessageKey } from '../../src/platform/messages/messages';

/** Elements whose texts are somebody's data, or code. An element with its own `lang` is an author's text. */
const DATA = new Set(['script', 'style', 'code', 'pre', 'svg', 'textarea', 'bdi', 'kbd']);
/** Attributes that people read or hear. */
const READ = ['aria-label', 'title', 'placeholder', 'alt', 'data-copied', 'data-failed'];

/** The whole of a text that is cut off: data. */
const isWhole = (name: string, of: Record<string, string>) =>
  name === 'title' && /\bclip\b/.test(of.class ?? '');

/** What a page says: its texts and the attributes that are read, one for each element. */
export function textsOf(html: string): string[] {
  const texts: string[] = [];
  const open: boolean[] = [];
  const isData = () => open.includes(true);
  const add = (text: string) => {
    const tidy = text.replace(/\s+/g, ' ').trim();
    if (tidy && !isData()) texts.push(tidy);
  };
  const parser = new Parser({
    onopentag(tag, of) {
      for (const name of READ) if (of[name] && !isWhole(name, of)) add(of[name]);
      const isAuthors = tag !== 'html' && ('lang' in of || of.dir === 'auto');
      open.push(DATA.has(tag) || isAuthors || /\b(?:mono|said)\b/.test(of.class ?? ''));
    },
    ontext: add,
    onclosetag: () => void open.pop(),
  });
  parser.end(html);
  return texts;
}

const LITERAL = 0;

/** Parts of English sentences that German does not have, and are long enough not to be found by chance. */
const sentences = (() => {
  const german = Object.values(CATALOGUES.de).join('\n');
  return (Object.keys(CATALOGUES.en) as MessageKey[]).flatMap((key) => {
    const ast = new IntlMessageFormat(CATALOGUES.en[key], 'en').getAst();
    const parts = ast.flatMap((it) =>
      Number(it.type) === LITERAL ? [(it as { value: string }).value] : [],
    );
    return parts
      .map((part) => part.replace(/\s+/g, ' ').trim())
      .filter((part) => part.split(' ').length >= 3 && !german.includes(part));
  });
})();

/** Whole sentences and labels that are other ones in German. */
const labels = (() => {
  const german = new Set(Object.values(CATALOGUES.de));
  return new Set(Object.values(CATALOGUES.en).filter((it) => !german.has(it)));
})();

/** Words that German does not have. */
const WORDS =
  /(?<![\p{L}-])(?:the|and|your|you|with|this|of|is|are|has|have|its|it|cannot|must|from|that|than|nothing|which|only|found)(?![\p{L}-])/iu;

/** The end of an API key, in which a word may stand by chance. */
const KEY_END = /…\w{4}\b/g;

/** Texts of a German page that are in English. */
export const englishIn = (html: string): string[] =>
  textsOf(html).filter(
    (text) =>
      labels.has(text) ||
      WORDS.test(text.replaceAll(KEY_END, '')) ||
      sentences.some((part) => text.includes(part)),
  );
