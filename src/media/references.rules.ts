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

/**
 * The ids of pictures that the texts of a value name, such as a question or a row of a file. Its JSON is no such text: a
 * line end is `\n` in it, and in `\nmedia:` no word begins with `media`.
 */
export const pictureIdsIn = (value: object): string[] => [
  ...countPictures(
    partsOf(value).flatMap((part) => Object.values(part).filter((it) => typeof it === 'string')),
  ).keys(),
];

/** Puts other ids in all texts of a value. @returns the value */
export function replacePictures<T extends object>(value: T, ids: ReadonlyMap<string, string>): T {
  for (const part of partsOf(value))
    for (const [key, it] of Object.entries(part)) {
      const replaced = typeof it === 'string' ? withPictures(it, ids) : it;
      if (replaced !== it) part[key] = replaced;
    }
  return value;
}

/** The value and everything in it that has members. Without recursion: a line of an archive may be nested deeply. */
function partsOf(value: object): Record<string, unknown>[] {
  const parts = [value as Record<string, unknown>];
  for (const part of parts)
    for (const it of Object.values(part))
      if (typeof it === 'object' && it !== null) parts.push(it as Record<string, unknown>);
  return parts;
}

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
