/** Code between backticks: three around lines, one around a part of a line. Or a URL. */
const MARKED = /((?:\r?\n)?```[^]+?```(?:\r?\n)?|(?<!`)`[^`\n]+`(?!`)|\bhttps?:\/\/[^\s<>"`]+)/i;

/**
 * The text of a question, an answer or an explanation, with code in a monospace font. There is no other markup and no
 * HTML: everything else is shown as it was typed.
 * @param links whether http and https URLs become links
 */
export function AuthorText({ text, links = false }: { text: string; links?: boolean }) {
  return (
    <>
      {text.split(MARKED).map((part, index) => {
        if (index % 2 === 0) return part;
        if (part.includes('```')) return <CodeBlock text={part.trim().slice(3, -3)} />;
        if (part.startsWith('`')) return <code class="code">{part.slice(1, -1)}</code>;
        return links ? <Linked text={part} /> : part;
      })}
    </>
  );
}

/** A `code`, since a heading and a button, which hold such texts, must not contain a `pre`. */
function CodeBlock({ text }: { text: string }) {
  // Many people write the name of the language into the first line.
  const code = text.replace(/^[\w+#-]*\r?\n/, '').replace(/\r?\n$/, '');
  return <code class="code code-block">{code}</code>;
}

/** Ends a sentence, and no URL; a bracket does unless the URL has an opening one. */
const CLOSING = `.,;:!?'’”»*_`;

function Linked({ text }: { text: string }) {
  let end = text.length;
  const closing = CLOSING + (text.includes('(') ? '' : ')') + (text.includes('[') ? '' : ']');
  while (closing.includes(text.charAt(end - 1))) end--;
  const url = text.slice(0, end);
  if (!URL.canParse(url)) return <>{text}</>;
  return (
    <>
      {/* In a new tab: a quiz that is being played stays open. */}
      <a class="link" href={url} target="_blank" rel="noopener nofollow ugc">
        {url}
      </a>
      {text.slice(end)}
    </>
  );
}
