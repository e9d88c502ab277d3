import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MediaService } from '../../media/media.service';
import type { Issue } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { mediaIn, type Picture, renderMarkdown } from '../../platform/markdown/markdown';
import { MarkdownError } from '../../platform/markdown/markdown-error';
import { codePoints } from '../../platform/text/text.rules';
import { pictureIssue } from './question-pictures.rules';

const LONGEST = LIMITS.content.questionText.value;

/** A text of a question in Markdown that somebody is writing. */
export interface WrittenText {
  text: string;
  /** Whether URLs become links, as in explanations. */
  links: boolean;
}

/** A text as players see it. */
export interface PreviewedText {
  /** '' if it cannot be shown. */
  html: string;
  /** What is to be corrected before it can be saved; of `alternativeText`, before it can be published. */
  issue: Omit<Issue, 'path'> | null;
}

/** Shows Markdown while it is written. Nothing is stored, not even in memory. */
@Injectable()
export class MarkdownPreviewService {
  constructor(private readonly media: MediaService) {}

  /** Other requests have their turn after each text. */
  async preview(accountId: string, texts: readonly WrittenText[]): Promise<PreviewedText[]> {
    const ids = texts.flatMap(({ text }) => mediaIn(text.slice(0, 2 * LONGEST)));
    const pictures = await this.media.describe(ids, accountId);
    const previewed: PreviewedText[] = [];
    for (const text of texts) {
      previewed.push(previewOf(text, pictures));
      await setImmediate();
    }
    return previewed;
  }
}

function previewOf(
  { text, links }: WrittenText,
  pictures: ReadonlyMap<string, Picture>,
): PreviewedText {
  const issues: Omit<Issue, 'path'>[] = [];
  const picture = (name: string, alt: string) => {
    const id = name.toLowerCase();
    const issue = pictureIssue({ id, alt }, pictures);
    if (issue) issues.push(issue);
    return pictures.get(id);
  };
  try {
    if (codePoints(text) > LONGEST)
      throw new MarkdownError(`is longer than ${LONGEST.toLocaleString('en')} characters`);
    const { html } = renderMarkdown(text, { links, picture });
    const issue = issues.find(({ code }) => code === 'unknownPicture') ?? issues[0] ?? null;
    return { html, issue: issue && said(issue) };
  } catch (error) {
    if (!(error instanceof MarkdownError)) throw error;
    return { html: '', issue: said({ message: error.message, code: 'markdown' }) };
  }
}

const said = ({ message, code }: Omit<Issue, 'path'>) => ({
  message: `The text ${message}.`,
  code,
});
