import { Marked } from 'marked';

const marked = new Marked();

/** A sentence or two of Markdown, from the descriptions in the code. */
export function Text({ of }: { of: string }) {
  return (
    <span
      class="text"
      dangerouslySetInnerHTML={{ __html: marked.parseInline(of, { async: false }) }}
    />
  );
}
