import { Parser } from 'htmlparser2';

const BLOCKS = new Set(
  [
    'p',
    'div',
    'ul',
    'ol',
    'li',
    'table',
    'tr',
    'blockquote',
    'pre',
    'hr',
    'section',
    'article',
  ].concat(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']),
);
/** Tags that only carry others or say nothing of the text. */
const PLAIN = new Set([
  ...BLOCKS,
  'br',
  'span',
  'a',
  'font',
  'tbody',
  'thead',
  'td',
  'th',
  'html',
  'body',
  'head',
]);
const UNREAD = new Set(['script', 'style', 'title', 'svg', 'math', 'object', 'iframe']);
const PICTURES = new Set(['img', 'audio', 'video', 'svg', 'object', 'iframe', 'embed', 'math']);

/**
 * The readable text of a piece of HTML: entities decoded, blocks and `<br>` as lines, white space as a
 * browser shows it. `notes` says what a text cannot carry: pictures and sounds, raised and bold letters.
 */
export function htmlToText(html: string): { text: string; notes: string[] } {
  const media = new Set<string>();
  const styles = new Set<string>();
  let text = '';
  let unread = 0;
  let kept = 0;
  const lineBreak = (): void => {
    text = text.replace(/ +$/, '');
    if (text && !text.endsWith('\n')) text += '\n';
  };
  const parser = new Parser({
    onopentag(name) {
      if (UNREAD.has(name)) unread += 1;
      if (name === 'pre') kept += 1;
      if (PICTURES.has(name)) media.add(`<${name}>`);
      else if (!PLAIN.has(name) && !UNREAD.has(name)) styles.add(`<${name}>`);
      if (name === 'br') text = `${text.replace(/ +$/, '')}\n`;
      else if (BLOCKS.has(name)) lineBreak();
      else if (name === 'td' || name === 'th') text += ' ';
    },
    ontext(piece) {
      if (unread > 0) return;
      // No-break spaces are how editors keep two spaces apart, or a paragraph from being empty.
      const read = kept > 0 ? piece : piece.replace(/[ \t\n\f\r\u00A0]+/g, ' ');
      text += /[\n ]$|^$/.test(text.slice(-1)) && kept === 0 ? read.replace(/^ /, '') : read;
    },
    onclosetag(name) {
      if (UNREAD.has(name)) unread -= 1;
      if (name === 'pre') kept -= 1;
      if (BLOCKS.has(name)) lineBreak();
    },
  });
  parser.end(html);
  const notes: string[] = [];
  if (media.size > 0)
    notes.push(`Pictures, sounds and formulas are not kept (${[...media].join(', ')}).`);
  if (styles.size > 0) notes.push(`Formatting is not kept (${[...styles].join(', ')}).`);
  return { text: text.replace(/\n{3,}/g, '\n\n').trim(), notes };
}

/** Whether a text of no declared kind is HTML, as far as that can be seen. */
export function looksLikeHtml(text: string): boolean {
  return /<\/?(?:p|div|br|b|i|u|em|strong|span|img|a|sub|sup|ul|ol|li|table|h[1-6]|pre|code)\b[^<>]*>/i.test(
    text,
  );
}
