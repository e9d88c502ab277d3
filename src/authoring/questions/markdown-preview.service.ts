import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MediaService } from '../../media/media.service';
import type { Issue } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { asWritten, mediaIn, type Picture, renderMarkdown } from '../../platform/markdown/markdown';
import { MarkdownError } from '../../platform/markdown/markdown-error';
import { codePoints, firstCodePoints, tidy } from '../../platform/text/text.rules';
import { pictureIssue } from './question-pictures.rules';

/** A text of a question in Markdown that somebody is writing. */
export interface WrittenText {
  text: string;
  /** Whether URLs become links, as in explanations. */
  links: boolean;
  /** The characters that it may have. */
  longest: number;
}

/** A text as players see it. */
export interface PreviewedText {
  /** '' if it cannot be shown. */
  html: string;
  /**
   * What is to be corrected before it can be saved; of `alternative_text`, before it can be published.
   * `picture_not_shown` and `too_much` only inform.
   */
  issue: Omit<Issue, 'path'> | null;
}

/** Shows Markdown while it is written. Nothing is stored, not even in memory. */
@Injectable()
export class MarkdownPreviewService {
  constructor(private readonly media: MediaService) {}

  /** Other requests have their turn after each text. */
  async preview(accountId: string, written: readonly WrittenText[]): Promise<PreviewedText[]> {
    // As they would be saved.
    const texts = written.map((it) => ({ ...it, text: tidy(it.text) }));
    // A character is one or two units of UTF-16.
    const ids = texts.flatMap(({ text, longest }) => mediaIn(text.slice(0, 2 * longest)));
    const pictures = await this.media.describeOwn(accountId, ids);
    const previewed: PreviewedText[] = [];
    let room = LIMITS.content.shownHtml.value;
    for (const text of texts) {
      const shown = room < 0 ? null : previewOf(text, pictures);
      room -= shown?.html.length ?? 0;
      previewed.push(shown && room >= 0 ? shown : unrendered(text));
      await setImmediate();
    }
    return previewed;
  }
}

function previewOf(
  { text, links, longest }: WrittenText,
  pictures: ReadonlyMap<string, Picture>,
): PreviewedText {
  const issues: Omit<Issue, 'path'>[] = [];
  const written = text.match(/\]\(media:/g)?.length ?? 0;
  let shown = 0;
  const picture = (id: string, alt: string) => {
    shown += 1;
    const issue = pictureIssue({ id, alt }, pictures);
    if (issue) issues.push(issue);
    return pictures.get(id);
  };
  try {
    if (codePoints(text) > longest)
      throw new MarkdownError(`is longer than ${longest.toLocaleString('en')} characters`);
    const { html } = renderMarkdown(text, { links, picture });
    const issue =
      issues.find(({ code }) => code === 'unknown_picture') ??
      issues[0] ??
      (written > shown ? PICTURE_NOT_SHOWN : null);
    return { html, issue: issue && asSentence(issue) };
  } catch (error) {
    if (!(error instanceof MarkdownError)) throw error;
    return { html: '', issue: asSentence({ message: error.message, code: 'markdown' }) };
  }
}

const PICTURE_NOT_SHOWN = {
  code: 'picture_not_shown',
  message:
    'has a picture that is not shown: write it outside of code and formulas, as ![…](media:…)',
};

const TOO_MUCH = {
  code: 'too_much',
  message: 'is shown as it was written: all texts together are too long for one page',
};

/** For a text after the HTML limit of a page has been reached. */
function unrendered({ text, longest }: WrittenText): PreviewedText {
  const { html } = asWritten(firstCodePoints(text, longest));
  return { html, issue: asSentence(TOO_MUCH) };
}

const asSentence = ({ message, code }: Omit<Issue, 'path'>) => ({
  message: `The text ${message}.`,
  code,
});
