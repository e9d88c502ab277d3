import { picturesIn as renderedPictures } from '../platform/markdown/markdown';
import { MarkdownError } from '../platform/markdown/markdown-error';

/** A picture in a Markdown text: `![alt](media:<id>)`. */
export interface PictureReference {
  /** What stands after `media:`, in lower case; not necessarily an id. */
  id: string;
  /** The alternative text; '' for none. */
  alt: string;
}

/**
 * The pictures of the service that a Markdown text shows, in order, as the renderer finds them. Code that only looks
 * like one is none, and a text that cannot be shown has none.
 */
export function picturesIn(markdown: string): PictureReference[] {
  try {
    return renderedPictures(markdown);
  } catch (error) {
    if (error instanceof MarkdownError) return [];
    throw error;
  }
}

/** A picture that a text names, by its id. */
export const PICTURE_REFERENCE = /\bmedia:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gi;

/** The text with other ids, for a copy that has pictures of its own. Ids have one length, so no limit of a text is passed. */
export const withPictures = (markdown: string, ids: ReadonlyMap<string, string>): string =>
  markdown.replace(PICTURE_REFERENCE, (found, id: string) =>
    found.replace(id, ids.get(id.toLowerCase()) ?? id),
  );

/** The ids of pictures that a text names, of a question or of a whole file. */
export const pictureIdsIn = (text: string): string[] => [...countPictures([text]).keys()];

/** How often these texts name each picture, by its id. */
export function countPictures(texts: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const text of texts)
    for (const [, found = ''] of text.matchAll(PICTURE_REFERENCE)) {
      const id = found.toLowerCase();
      times.set(id, (times.get(id) ?? 0) + 1);
    }
  return times;
}
