import type { QuestionFormat } from '../../../catalog/vocabulary';

/**
 * HTML in Markdown is text here, and so are links that do not lead to the web; in other programs both are alive, and Moodle shows
 * question texts unfiltered. A word joiner, which is invisible, keeps a sign from being one of a tag, a link or an attribute.
 * In code, too: programs disagree on what is code (below "1. a", Moodle's PHP Markdown Extra reads a tag behind seven spaces as
 * one), and an entity would be shown there.
 */
const JOINER = '\u2060';

/** URLs that are links or pictures here, and in files; and no attributes after a slash, where a program passes on all behind `<1`. */
const URLS = String.raw`https?:\/(?=\/)(?:(?!\/[\w-]+=)[^\s<>"'\x60\\])*|media:[\w-]*|data:image\/[\w.+-]*;base64,[\w+/=]*`;
/** `<b>`, `</b>`, `<!-- -->`, `<?php ?>`, and `<javascript:…>`. */
const TAG = new RegExp(`(?<=<)(?=[a-z/!?])(?!(?:${URLS})>)`, 'gi');
/**
 * `](…` or `]:…` with a scheme, which `&` and `\` may hide. Without one, before the first of the signs that end it, a URL is
 * relative. No scheme that anybody knows is longer than 40 characters, and what is longer is no link either.
 */
const LINK = new RegExp(
  String.raw`(?<=\])(?=\s?[(:])(?!\s?[(:]\s*(?:<?(?:https?:\/\/|media:|data:image\/)|[/?#)]|$|[^<:&\\/?#)\s]{1,40}(?:[/?#)\s]|$)))`,
  'gi',
);
/** PHP Markdown Extra and Pandoc: `[…](…){onclick=…}`. */
const ATTRIBUTES = /\{[^{}]*/g;
const HANDLER = /\bon[a-z]*=/i;

/** A text for a file that other programs read. */
export function inert(text: string, format: QuestionFormat | undefined): string {
  if (format !== 'markdown') return text;
  const attributes = (list: string) =>
    HANDLER.test(list) ? list.replace('{', `{${JOINER}`) : list;
  return text.replace(TAG, JOINER).replace(LINK, JOINER).replace(ATTRIBUTES, attributes);
}

/** What our readers make of it. */
export const withoutJoiners = (text: string, format: QuestionFormat | undefined): string =>
  format === 'markdown' ? text.replace(/(?<=[<\]{])\u2060/g, '') : text;
