import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { QuestionFormat } from '../../catalog/vocabulary';
import { type Picture, showMarkdown } from '../../platform/markdown/markdown';
import { plainParts } from '../../platform/markdown/plain-text';

/** The stored images of the texts on a page, by their ids. */
export const Pictures = createContext<ReadonlyMap<string, Picture>>(new Map());

/**
 * The text of a question, an answer or an explanation. Plain text has code in a monospace font; there is no other markup
 * and no HTML: everything else is shown as it was typed. Markdown is rendered: with several blocks it is an element that a
 * paragraph cannot contain.
 * @param links whether http and https URLs become links
 */
export function AuthorText({
  text,
  format = 'plain',
  links = false,
}: {
  text: string;
  format?: QuestionFormat | undefined;
  links?: boolean;
}) {
  const pictures = useContext(Pictures);
  if (format === 'markdown') return <Html html={showMarkdown(text, links, pictures).html} />;
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
  const pictures = useContext(Pictures);
  if (format !== 'markdown') return { lead: <AuthorText text={text} />, rest: null };
  const { lead, rest } = showMarkdown(text, false, pictures);
  return {
    lead: lead ? <Html html={lead} /> : null,
    rest: rest ? <Html html={rest} /> : null,
  };
}

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
