import { Get, Post, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AttemptLimits } from '../../access/sessions/attempt-limits';
import { LONGEST_NAME, tidyName } from '../../play/visitors/visitor.rules';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { Config } from '../../platform/config/config';
import { Invalid, NotFound } from '../../platform/errors/domain-errors';
import { codePoints } from '../../platform/text/text.rules';
import { invalid, redirect, type PageResult } from '../http/page-results';
import { attempt as trying, Form } from '../http/form';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { guestName } from './player.rules';
import { StartPage } from './start.page';
import { keepOpenAttempt, keepVisitor, readOpenAttempt, readVisitor } from './visitor-cookie';

/** The start page of a quiz, for everybody: docs/playing.md. */
@OpenPages('play/:slug')
export class PlayerController {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly limits: AttemptLimits,
    private readonly config: Config,
  ) {}

  @Get()
  show(@Asked() asked: PageRequest): Promise<PageResult> {
    return this.page(asked, new Form());
  }

  @Post()
  async start(
    @Asked() asked: PageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageResult> {
    const { request, form } = asked;
    const slug = asked.param('slug');
    const done = await trying(form, async () => {
      await this.limits.take('playByAddress', { address: request.ip ?? '' });
      const token = keepVisitor(request, response, this.config);
      const reveal = form.text('reveal') === 'yes';
      return this.play.start(slug, token, { name: nameIn(form), reveal });
    });
    if (done instanceof Form) return invalid(done, await this.page(asked, done));
    const home = `/play/${slug}`;
    keepOpenAttempt(response, this.config, home, done);
    return redirect(`${home}/${done}/1`);
  }

  private async page({ request, param }: PageRequest, form: Form) {
    const slug = param('slug');
    const token = readVisitor(request, this.config);
    const quiz = await this.play.quiz(slug);
    const top = await this.play.top(quiz, token);
    const goOn = token && (await this.underWay(request, slug, token));
    return <StartPage quiz={quiz} top={top} form={form} goOn={goOn} />;
  }

  /** The address of the question that an unfinished attempt has come to. */
  private async underWay(request: Request, slug: string, token: string): Promise<string | null> {
    const id = readOpenAttempt(request, this.config);
    if (!id) return null;
    try {
      const { questions, outcome, expired } = await this.play.find(slug, id, token);
      if (outcome || expired) return null;
      const at = questions.findIndex(({ given }) => !given);
      return `/play/${slug}/${id}${at < 0 ? '' : `/${at + 1}`}`;
    } catch (error) {
      // A cookie that has outlived its attempt.
      if (error instanceof NotFound) return null;
      throw error;
    }
  }
}

/** @throws Invalid */
function nameIn(form: Form): string {
  const name = tidyName(form.text('name')) || guestName();
  if (codePoints(name) > LONGEST_NAME)
    throw new Invalid('The name', [
      {
        path: 'name',
        message: `A name may have at most ${LONGEST_NAME} characters.`,
        code: 'too_long',
      },
    ]);
  return name;
}
