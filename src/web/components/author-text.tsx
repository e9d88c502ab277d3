import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { RenderedTexts } from '../../catalog/rendering/rendered-texts';
import type { QuestionFormat } from '../../catalog/vocabulary';
import { withoutFocus } from '../../platform/markdown/markdown';
import { plainParts } from '../../platform/markdown/plain-text';
import { directionOf } from '../../platform/text/language.rules';
import { useMessages } from '../http/page-context';

/**
 * Attributes of an element whose text is in a quiz's language: browsers pronounce, hyphenate and align it by them.
 * @param language null: not said, so the text runs as its first letters do, and is taken for the page's language
 */
export const inLanguage = (language: string | null | undefined) => ({
  ...(language && { lang: language }),
  dir: directionOf(language ?? null),
});

/** The texts in Markdown that were rendered for a page; others are shown as they were written. */
export const TextsOfPage = createContext(new RenderedTexts());

/**
 * The text of a question, an answer or an explanation. Plain text has code in a monospace font; there is no other markup
 * and no HTML: everything else is shown as it was typed. Markdown with several blocks is an element that a paragraph cannot
 * contain.
 * @param links whether http and https URLs become links
 * @param inControl within a button, a link, a label or a summary
 */
export function AuthorText({
  text,
  format = 'plain',
  links = false,
  inControl = false,
}: {
  text: string;
  format?: QuestionFormat | undefined;
  links?: boolean;
  inControl?: boolean;
}) {
  const texts = useContext(TextsOfPage);
  if (format === 'markdown') {
    const { html } = texts.of(text, links);
    return (
      <>
        {texts.firstUnrendered === text && <TooMuch />}
        <Html html={inControl ? withoutFocus(html) : html} />
      </>
    );
  }
  return (
    <>
      {plainParts(text).map((part) => {
        if (part.kind === 'code') return <code class="code">{part.text}</code>;
        // A `code`, since a heading and a button, which hold such texts, must not contain a `pre`.
        if (part.kind === 'block') return <code class="code code-block">{part.text}</code>;
        return part.kind === 'url' && links ? <Linked url={part.text} /> : part.text;
      })}
    </>
  );
}

/**
 * The text of a question in its heading. Of Markdown that is the first paragraph; `rest` has the other blocks, which a
 * heading cannot contain.
 */
export function useQuestionText(text: string, format: QuestionFormat | undefined) {
  const texts = useContext(TextsOfPage);
  if (format !== 'markdown') return { lead: <AuthorText text={text} />, rest: null };
  const { lead, rest } = texts.of(text, false);
  return {
    lead: lead ? (
      <>
        {texts.firstUnrendered === text && <TooMuch />}
        <Html html={lead} />
      </>
    ) : null,
    rest: rest ? <Html html={rest} /> : null,
  };
}

/** The name of a control with this text, since browsers find none in MathML; undefined: they find it in the text. */
export function useNameOf(text: string, format: QuestionFormat | undefined): string | undefined {
  const texts = useContext(TextsOfPage);
  return (format === 'markdown' && texts.of(text, false).spoken) || undefined;
}

/** The text of a button, a link or a label: its formulas are read as text, since browsers find no name in MathML. */
export function ControlText({
  text,
  format,
  language,
}: {
  text: string;
  format: QuestionFormat;
  language: string | null;
}) {
  const name = useNameOf(text, format);
  return (
    <>
      <span {...inLanguage(language)} aria-hidden={name ? true : undefined}>
        <AuthorText text={text} format={format} inControl />
      </span>
      {name && (
        <span class="sr-only" {...inLanguage(language)}>
          {name}
        </span>
      )}
    </>
  );
}

/** In a list of answers, which are rendered one by one: a star in one of them has no partner in the next. */
export function AuthorTexts({
  texts,
  format,
  list = 'conjunction',
}: {
  texts: readonly string[];
  format?: QuestionFormat | undefined;
  list?: Intl.ListFormatType;
}) {
  const parts = new Intl.ListFormat(useMessages().locale, { type: list }).formatToParts(texts);
  return (
    <>
      {parts.map(({ type, value }) =>
        type === 'element' ? <AuthorText text={value} format={format} /> : value,
      )}
    </>
  );
}

const TooMuch = () => <span class="sub">{useMessages().t('text.tooMuch')}</span>;

/** HTML that the renderer of Markdown has written. */
function Html({ html }: { html: string }) {
  const content = { dangerouslySetInnerHTML: { __html: html } };
  return /^<(?:p|ul|ol|blockquote|div|hr)\b/.test(html) ? (
    <div class="markdown" {...content} />
  ) : (
    <span class="markdown" {...content} />
  );
}

/** In a new tab: a quiz that is being played stays open. */
function Linked({ url }: { url: string }) {
  return (
    <a class="link" href={url} target="_blank" rel="noopener nofollow ugc">
      {url}
    </a>
  );
}
