import { marked, type Token } from 'marked';

/** A picture in a Markdown text: `![alt](media:<id>)`. */
export interface PictureReference {
  /** What stands after `media:`, in lower case; not necessarily an id. */
  id: string;
  /** The alternative text; '' for none. */
  alt: string;
}

const SCHEME = 'media:';

/** The pictures of the service that a Markdown text shows, in order. Code that only looks like one is none. */
export function picturesIn(markdown: string): PictureReference[] {
  // Nearly every text: parsing takes longer than this.
  if (!/media:/i.test(markdown)) return [];
  const found: PictureReference[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (token.type !== 'image') return;
    const { href, text } = token as { href: string; text: string };
    if (href.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return;
    found.push({ id: href.slice(SCHEME.length).toLowerCase(), alt: text.trim() });
  });
  return found;
}

const REFERENCE = /(\bmedia:)([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gi;

/** The text with other ids, for a copy that has pictures of its own. Ids have one length, so no limit of a text is passed. */
export const withPictures = (markdown: string, ids: ReadonlyMap<string, string>): string =>
  markdown.replace(
    REFERENCE,
    (_, scheme: string, id: string) => scheme + (ids.get(id.toLowerCase()) ?? id),
  );

/** The ids of pictures that a text names, of a question or of a whole file. */
export const pictureIdsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(REFERENCE)].map(([, , id = '']) => id.toLowerCase())),
];
