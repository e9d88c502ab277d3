import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { SessionsService } from '../../access/sessions/sessions.service';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { ConstantText } from '../../platform/http/server/text-response';
import { ConstantPage, Redirection, WithStatus, type PageResult } from './page-results';
import { baseUrl, renderPage } from './page-context';

/** Turns what a handler returns into a response: a page, a page with a status, a redirect or a file. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  private readonly constants = new Map<string, { text: ConstantText; shown: readonly unknown[] }>();

  constructor(
    private readonly sessions: SessionsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<PageResult>): Observable<Sent> {
    const http = context.switchToHttp();
    return from(this.respond(http.getRequest(), http.getResponse(), next));
  }

  private async respond(
    request: Request,
    response: Response,
    next: CallHandler<PageResult>,
  ): Promise<Sent> {
    const result = await lastValueFrom(next.handle());
    // A file is sent as it is.
    if (result instanceof StreamableFile || result instanceof ConstantText) return result;
    if (result instanceof ConstantPage) {
      response.setHeader('Cache-Control', 'public, max-age=60');
      return this.constant(request, result);
    }
    const viewer = request.viewer ?? null;
    if (result instanceof Redirection) {
      if (result.notice && viewer) await this.sessions.leaveNotice(viewer.sessionId, result.notice);
      response.status(303).setHeader('Location', result.path);
      return '';
    }
    const [status, page] =
      result instanceof WithStatus ? [result.status, result.page] : [200, result];
    if (result instanceof WithStatus && result.retryAfter !== undefined)
      response.setHeader('Retry-After', result.retryAfter);
    response.status(status).type('html');
    return renderPage(page, {
      viewer,
      path: request.originalUrl,
      baseUrl: baseUrl(request, this.config),
      now: this.clock.now(),
      notice: viewer && (await this.sessions.takeNotice(viewer.sessionId)),
    });
  }

  private constant(request: Request, { render, shown }: ConstantPage): ConstantText {
    const address = baseUrl(request, this.config);
    // As routes are found: whatever their case, with or without a slash at the end.
    const path = request.path.toLowerCase().replace(/(?<=.)\/$/, '');
    const key = `${address} ${path}`;
    const kept = this.constants.get(key);
    if (kept && shown.every((it, at) => it === kept.shown[at])) return kept.text;
    const context = { viewer: null, path, baseUrl: address, now: this.clock.now(), notice: null };
    const text = new ConstantText('text/html; charset=utf-8', renderPage(render(), context));
    // Without PUBLIC_URL the client chooses the address: it must not fill the memory.
    if (this.constants.size >= CONSTANTS) this.constants.clear();
    this.constants.set(key, { text, shown });
    return text;
  }
}

type Sent = string | ConstantText | StreamableFile;

/** The documentation has some 20 pages of up to 150 KB. */
const CONSTANTS = 100;
