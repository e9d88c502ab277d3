import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MediaService } from '../../media/media.service';
import { Config } from '../../platform/config/config';
import { mediaIn } from '../../platform/markdown/markdown';
import type { QuestionFormat } from '../vocabulary';
import { answersWithHtml, type PicturesById, withHtml } from './question-html';

/** What a question shows. */
export interface ShownQuestion {
  text: string;
  explanation?: string | null;
  /** Absent: plain. */
  format?: QuestionFormat | undefined;
  answers?: readonly { text: string }[];
}

const NO_PICTURES: PicturesById = new Map();

/** For how long texts are rendered before others get their turn. */
const TURN_MS = 10;

/** Finds the images of questions and renders their texts into memory, so that pages and responses are made at once. */
@Injectable()
export class RenderingService {
  constructor(
    private readonly media: MediaService,
    private readonly config: Config,
  ) {}

  /** For responses of the API, which other sites show: the URLs of images are absolute. */
  forApi(questions: readonly ShownQuestion[]): Promise<PicturesById> {
    return this.prepare(questions, this.config.publicUrl);
  }

  /** For a page of this service. */
  forPage(questions: readonly ShownQuestion[]): Promise<PicturesById> {
    return this.prepare(questions, '');
  }

  private async prepare(questions: readonly ShownQuestion[], base: string): Promise<PicturesById> {
    const rendered = questions.filter(({ format }) => format === 'markdown');
    if (rendered.length === 0) return NO_PICTURES;
    const pictures = await this.pictures(rendered, base);
    let turn = performance.now();
    for (const { text, explanation = null, answers = [] } of rendered) {
      withHtml({ text, explanation, format: 'markdown' }, pictures);
      answersWithHtml(answers, 'markdown', pictures);
      if (performance.now() - turn < TURN_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
    return pictures;
  }

  private async pictures(questions: readonly ShownQuestion[], base: string): Promise<PicturesById> {
    const ids = questions.flatMap(({ text, explanation, answers = [] }) =>
      [text, explanation ?? '', ...answers.map((answer) => answer.text)].flatMap(mediaIn),
    );
    if (ids.length === 0) return NO_PICTURES;
    const found = await this.media.describe(ids);
    return new Map(
      [...found].map(([id, picture]) => [id, { ...picture, url: base + picture.url }]),
    );
  }
}
