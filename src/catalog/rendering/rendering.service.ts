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
    return this.render(questions, { base: this.config.publicUrl, links: true });
  }

  /** For a page of this service. @param links whether URLs in explanations become links; not on paper */
  forPage(questions: readonly ShownQuestion[], links = true): Promise<RenderedTexts> {
    return this.render(questions, { base: '', links });
  }

  private async render(
    questions: readonly ShownQuestion[],
    { base, links: withLinks }: { base: string; links: boolean },
  ): Promise<RenderedTexts> {
    const shown = questions.filter(({ format }) => format === 'markdown');
    const texts = new RenderedTexts(await this.pictures(shown, base));
    let turn = performance.now();
    for (const { text, links } of shown.flatMap((question) => textsOf(question, withLinks))) {
      texts.render(text, links);
      if (performance.now() - turn < TURN_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
    return texts;
  }

  /** @param base before the URLs */
  private async pictures(
    questions: readonly ShownQuestion[],
    base: string,
  ): Promise<ReadonlyMap<string, Picture>> {
    const ids = questions.flatMap(({ text, explanation, answers = [] }) =>
      [text, explanation ?? '', ...answers.map((answer) => answer.text)].flatMap(mediaIn),
    );
    const found = await this.media.describe(ids);
    return new Map(
      [...found].map(([id, picture]) => [id, { ...picture, url: base + picture.url }]),
    );
  }
}

/** Only explanations have links: a question that is being played stays in its page. */
const textsOf = ({ text, answers = [], explanation }: ShownQuestion, links: boolean) => [
  { text, links: false },
  ...answers.map((answer) => ({ text: answer.text, links: false })),
  ...(explanation ? [{ text: explanation, links }] : []),
];
