import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MediaService } from '../../media/media.service';
import { Config } from '../../platform/config/config';
import { mediaIn, type Picture } from '../../platform/markdown/markdown';
import type { QuestionFormat } from '../vocabulary';
import { RenderedTexts } from './rendered-texts';

/** What is shown of a question. */
export interface ShownQuestion {
  text: string;
  explanation?: string | null;
  /** Absent or null: plain. */
  format?: QuestionFormat | null | undefined;
  answers?: readonly { text: string }[];
}

/** For how long texts are rendered before others get their turn. */
const TURN_MS = 10;

/** Renders the texts of questions with their pictures, before the page or response that shows them is made. */
@Injectable()
export class RenderingService {
  constructor(
    private readonly media: MediaService,
    private readonly config: Config,
  ) {}

  /** For responses of the API, which other sites show: the URLs of pictures are absolute. */
  forApi(questions: readonly ShownQuestion[]): Promise<RenderedTexts> {
    return this.render(questions, { base: this.config.publicUrl, links: true, eager: 0 });
  }

  /** For a page of this service, which begins with the first question: its first picture is seen at once. */
  forPage(questions: readonly ShownQuestion[]): Promise<RenderedTexts> {
    return this.render(questions, { base: '', links: true, eager: 1 });
  }

  /** Without links, and printed before anybody scrolls to a picture. */
  forPaper(questions: readonly ShownQuestion[]): Promise<RenderedTexts> {
    return this.render(questions, { base: '', links: false, eager: Infinity });
  }

  /**
   * @param how `base`: before the URLs of pictures; `links`: whether URLs in explanations become links; `eager`: how many
   * pictures are loaded with the page
   */
  private async render(
    questions: readonly ShownQuestion[],
    { links: withLinks, ...how }: { base: string; links: boolean; eager: number },
  ): Promise<RenderedTexts> {
    const shown = questions.filter(({ format }) => format === 'markdown');
    const texts = new RenderedTexts(await this.pictures(shown, how));
    let turn = performance.now();
    for (const { text, links } of shown.flatMap((question) => textsOf(question, withLinks))) {
      texts.render(text, links);
      if (performance.now() - turn < TURN_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
    return texts;
  }

  private async pictures(
    questions: readonly ShownQuestion[],
    { base, eager }: { base: string; eager: number },
  ): Promise<ReadonlyMap<string, Picture>> {
    const ids = questions.flatMap((it) => textsOf(it, false)).flatMap(({ text }) => mediaIn(text));
    const found = await this.media.describe(ids);
    const first = new Set(ids.slice(0, eager));
    return new Map(
      [...found].map(([id, picture]) => [
        id,
        { ...picture, url: base + picture.url, isEager: first.has(id) },
      ]),
    );
  }
}

/** Only explanations have links: a question that is being played stays in its page. */
const textsOf = ({ text, answers = [], explanation }: ShownQuestion, links: boolean) => [
  { text, links: false },
  ...answers.map((answer) => ({ text: answer.text, links: false })),
  ...(explanation ? [{ text: explanation, links }] : []),
];
