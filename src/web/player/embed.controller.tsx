import {
  type CanActivate,
  type ExecutionContext,
  Get,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { AccountsService } from '../../access/accounts/accounts.service';
import { isOrigin } from '../../access/accounts/scope.rules';
import { Config } from '../../platform/config/config';
import { Malformed, NotFound } from '../../platform/errors/domain-errors';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { ConstantText, JSON_TYPE } from '../../platform/http/server/text-response';
import { parseUrl } from '../../platform/text/url.rules';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { elementScript } from '../http/assets';
import { baseUrl } from '../http/page-context';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import type { PageResult } from '../http/page-results';
import { allowFrames, allowOrigins } from '../http/page-security';
import { AttemptPages, nullIfGone } from './attempt.controller';
import { embedCode } from './place';
import { StartPages } from './player.controller';
import { coverOf } from './share-image';

const isFrameSource = (text: string) => text === '*' || isOrigin(text);

/** Lets the websites that the quiz's owner allows show the page in a frame. */
@Injectable()
class Framing implements CanActivate {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly accounts: AccountsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const slug = String(http.getRequest<Request>().params.slug);
    const quiz = await this.play.open({ slug }).catch(nullIfGone);
    const owner = quiz && (await this.accounts.find(quiz.ownerId));
    allowFrames(http.getResponse<Response>(), (owner?.embedOrigins ?? []).filter(isFrameSource));
    return true;
  }
}

/** The player's pages in pages of other sites (docs/adr/0011). */
@OfPlayers('pages')
@OpenPages(['embed/:slug', 'embed/:slug/:player'])
@UseGuards(Framing)
export class EmbedStartController extends StartPages {}

@OfPlayers('pages')
@OpenPages('embed/:slug/:player/:attempt')
@UseGuards(Framing)
export class EmbedAttemptController extends AttemptPages {}

/** The element `<quiz-player>`, and how sites that only know a quiz's URL embed it (oembed.com). */
@OpenPages()
export class EmbedFilesController {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly accounts: AccountsService,
    private readonly config: Config,
  ) {}

  @Get('embed.js')
  element(@Asked() { response }: PageRequest): PageResult {
    allowOrigins(response);
    response.setHeader('Cache-Control', 'public, max-age=3600');
    return elementScript();
  }

  @Get('oembed')
  async oembed(@Asked() { request, response, query }: PageRequest): Promise<PageResult> {
    allowOrigins(response);
    if (!['', 'json'].includes(query('format'))) {
      response.status(501);
      return json({ success: false, error: 'Only `format=json` is supported.' });
    }
    const base = baseUrl(request, this.config);
    const url = parseUrl(query('url'));
    if (!url) throw new Malformed('`url` must be the URL of a page of this site.');
    // Not of an unlisted link: what it leads to is told to nobody but its players.
    const [, slug] = /^\/play\/([a-z\d-]+)$/.exec(url.pathname) ?? [];
    if (url.origin !== parseUrl(base)?.origin || !slug) throw new NotFound('Quiz');
    const quiz = await this.play.open({ slug });
    const { embedOrigins } = await this.accounts.get(quiz.ownerId);
    const atMost = (name: string, size: number) =>
      /^\d{1,5}$/.test(query(name)) ? Math.min(size, Number(query(name))) : size;
    const [width, height] = [atMost('maxwidth', 640), atMost('maxheight', 720)];
    const code = embedCode(base, quiz, { width, height });
    const html = embedOrigins.length > 0 ? code.frame : code.element;
    const provider = { provider_name: 'Quiz Question Service', provider_url: base };
    const { title } = quiz;
    const thumbnail = {
      thumbnail_url: base + coverOf(slug),
      thumbnail_width: 1200,
      thumbnail_height: 630,
    };
    return json({
      version: '1.0',
      type: 'rich',
      title,
      ...provider,
      html,
      width,
      height,
      ...thumbnail,
    });
  }
}

const json = (body: object) => new ConstantText(JSON_TYPE, JSON.stringify(body));
