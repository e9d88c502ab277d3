import { escapeUTF8 } from 'entities';
import { parseUrl } from '../text/url.rules';

/** Code between backticks: three around lines, one around a part of a line. Or a URL. */
const MARKED = /((?:\r?\n)?```[^]+?```(?:\r?\n)?|(?<!`)`[^`\n]+`(?!`)|\bhttps?:\/\/[^\s<>"`]+)/i;

/** `code`: in a line; `block`: lines of code. */
export interface PlainPart {
  kind: 'text' | 'code' | 'block' | 'url';
  text: string;
}

/** The parts of a plain text. There is no other markup: everything else is shown as it was typed. */
export function plainParts(text: string): PlainPart[] {
  return text.split(MARKED).flatMap((part, index): PlainPart[] => {
    if (index % 2 === 0) return [{ kind: 'text', text: part }];
    if (part.includes('```')) return [{ kind: 'block', text: codeIn(part) }];
    if (part.startsWith('`')) return [{ kind: 'code', text: part.slice(1, -1) }];
    return withEnd(part);
  });
}

/** Many people write the name of the language into the first line. */
const codeIn = (part: string) =>
  part
    .trim()
    .slice(3, -3)
    .replace(/^[\w+#-]*\r?\n/, '')
    .replace(/\r?\n$/, '');

/** Ends a sentence, and no URL; a bracket does unless the URL has an opening one. */
const CLOSING = `.,;:!?'’”»*_`;

function withEnd(text: string): PlainPart[] {
  let end = text.length;
  const closing = CLOSING + (text.includes('(') ? '' : ')') + (text.includes('[') ? '' : ']');
  while (closing.includes(text.charAt(end - 1))) end--;
  const url = text.slice(0, end);
  if (!parseUrl(url)) return [{ kind: 'text', text }];
  return [
    { kind: 'url', text: url },
    { kind: 'text', text: text.slice(end) },
  ];
}

/** A plain text as HTML, with its line ends. @param links whether http and https URLs become links */
export function plainHtml(text: string, links: boolean): string {
  return plainParts(text)
    .map((part) => {
      const shown = escapeUTF8(part.text);
      if (part.kind === 'code') return `<code class="code">${shown}</code>`;
      if (part.kind === 'block') return `<code class="code code-block">${shown}</code>`;
      if (part.kind === 'url' && links)
        return `<a class="link" href="${shown}" target="_blank" rel="noopener nofollow ugc">${shown}</a>`;
      return shown.replace(/\r?\n/g, '<br>');
    })
    .join('');
}
