import { Post } from '@nestjs/common';
import { MarkdownPreviewService } from '../../../authoring/questions/markdown-preview.service';
import { ConstantText, JSON_TYPE } from '../../../platform/http/server/text-response';
import { LIMITS } from '../../../platform/limits/limits';
import { translated } from '../../../platform/messages/refusals';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';

const { answersPerQuestion, answerText, explanationText, questionText } = LIMITS.content;

/** All texts of a question. */
const MOST_TEXTS = answersPerQuestion.value + 2;

/** What the editor shows of Markdown while it is written. */
@SignedInPages('markdown')
export class MarkdownPagesController {
  constructor(private readonly previews: MarkdownPreviewService) {}

  /**
   * HTML for each `text`, then for each `answer` and each `explanation` of the form. What is beyond the texts of one
   * question is left out: the editor sends twenty at a time.
   */
  @Post()
  async preview(@Asked() { accountId, form, messages }: PageRequest): Promise<PageResult> {
    const texts = [
      ...form.all('text').map((text) => ({ text, links: false, longest: questionText.value })),
      ...form.all('answer').map((text) => ({ text, links: false, longest: answerText.value })),
      ...form
        .all('explanation')
        .map((text) => ({ text, links: true, longest: explanationText.value })),
    ];
    const previewed = await this.previews.preview(accountId, texts.slice(0, MOST_TEXTS));
    const data = previewed.map(({ html, issue }) => ({
      html,
      issue: issue && { ...issue, message: translated(issue.message, messages) },
    }));
    return new ConstantText(JSON_TYPE, JSON.stringify({ success: true, data }));
  }
}
