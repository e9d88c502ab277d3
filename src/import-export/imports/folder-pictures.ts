import { open, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { PICTURE_FILE } from '../../media/media.dto';
import { codeIn, imagesIn, type WrittenImage } from '../../platform/markdown/markdown';
import { MarkdownError } from '../../platform/markdown/markdown-error';
import { escapeRegExp } from '../../platform/text/text.rules';
import { unwritten } from '../formats/markdown/markdown.writer';
import { escapeMarkdown, mapTexts, plainAsMarkdown, textsOfQuestion } from '../formats/pictures';
import { collected, type ImportedQuestion, quote } from '../formats/row';
import { RowError } from './running/file-rows';

/** `map.png`, `pictures/map.png`; a URL, also `media:` and `data:`, is none. */
const isPath = (href: string): boolean => !/^(?:[a-z][a-z\d+.-]+:|\/\/|#|$)/i.test(href);
const PICTURE = /\.(?:png|jpe?g|webp|gif|avif|svg|heic|bmp|tiff?)$/i;

/** The pictures in a folder of question files, which name them by paths from that folder. */
export class FolderPictures {
  /** @param root the folder, without symbolic links */
  private constructor(private readonly root: string) {}

  static async open(folder: string): Promise<FolderPictures> {
    return new FolderPictures(await realpath(folder));
  }

  /**
   * The question with pictures of the account in place of those of the folder. One in plain text that shows a picture
   * becomes one in Markdown that shows everything else as it was.
   * @param store stores a picture, and returns its URL for Markdown
   * @throws RowError for a picture that is not in the folder
   */
  async replace(
    question: ImportedQuestion,
    store: (bytes: Buffer) => Promise<string>,
  ): Promise<ImportedQuestion> {
    const isMarkdown = question.format === 'markdown';
    const images = new Map<string, string>();
    const found = textsOfQuestion(question).flatMap((text) =>
      isMarkdown ? readable(text, imagesIn) : imagesInPlainText(text),
    );
    for (const image of found) {
      const path = pathOf(image);
      if (!isPath(image.href) || images.has(image.raw) || !(isMarkdown || PICTURE.test(path)))
        continue;
      const url = await store(await this.read(path));
      images.set(image.raw, `![${escapeMarkdown(image.alt)}](${url})`);
    }
    if (images.size === 0) return question;
    // Code stays as it is written. Plain text has none.
    const codes = isMarkdown
      ? textsOfQuestion(question).flatMap((text) => readable(text, codeIn))
      : [];
    // The longest first: `![map]` is the beginning of `![map](map.png)`.
    const wholes = [...images.keys(), ...codes];
    wholes.sort((a, b) => b.length - a.length);
    const parts = new RegExp(`(${wholes.map(escapeRegExp).join('|')})`);
    const replaced = mapTexts(question, (text) =>
      (isMarkdown ? text : text.trim())
        .split(parts)
        .map((part) => images.get(part) ?? (isMarkdown ? part : plainAsMarkdown(part)))
        .join(''),
    );
    return { ...replaced, format: 'markdown' };
  }

  /** @throws RowError */
  private async read(path: string): Promise<Buffer> {
    const file = await this.find(path);
    if (file === null)
      throw new RowError(
        `The picture ${quote(path)} is not in the folder: write its path from the folder of the question files.`,
      );
    try {
      const handle = await open(file);
      // One byte more than a picture may have: the media service says that it is too large.
      return Buffer.concat(await collected(handle.createReadStream({ end: PICTURE_FILE.most })));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new RowError(
        `The picture ${quote(path)} cannot be read (${code ?? message}): check the permissions of the file.`,
      );
    }
  }

  /** Null where no file is, or where links or dots lead out of the folder. Opening a device or a pipe would block. */
  private async find(path: string): Promise<string | null> {
    if (path.includes('\0')) return null;
    const file = await realpath(resolve(this.root, path)).catch(() => null);
    if (!file?.startsWith(this.root + sep)) return null;
    const found = await stat(file).catch(() => null);
    return found?.isFile() ? file : null;
  }
}

/** `![what [1] shows](map.png "Title")`; a path with spaces is in angle brackets. */
const IN_PLAIN_TEXT =
  /!\[((?:\\.|\[[^\\[\]\n]*\]|[^\\[\]\n])*)\]\(\s*(?:<([^<>\n]+)>|((?:[^\s()<>]|\([^\s()<>]*\))+))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/g;

/** Indented, or among many signs, a picture is one too: only Markdown has code and a limit of signs. */
const imagesInPlainText = (text: string): WrittenImage[] =>
  [...text.matchAll(IN_PLAIN_TEXT)].map(([raw, alt = '', wrapped, bare = '']) => ({
    raw,
    alt: unwritten(alt),
    href: wrapped ?? bare,
  }));

function readable<Part>(text: string, partsOf: (text: string) => Part[]): Part[] {
  try {
    return partsOf(text);
  } catch (error) {
    // The check of the question says what is wrong with it.
    if (error instanceof MarkdownError) return [];
    throw error;
  }
}

/** As it is on the disk: in a URL, a space is `%20`. */
function pathOf({ href }: WrittenImage): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
