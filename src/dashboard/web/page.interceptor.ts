import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { SessionsService } from '../../access/sessions.service';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { SeeOther, WithStatus, type Answer } from './answers';
import { baseUrl } from './base-url';
import { renderPage } from './render';

/** Turns what a handler returns into an answer: a page, a page with a status, or a way on. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  constructor(
    private readonly sessions: SessionsService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<string> {
    const http = context.switchToHttp();
    return from(this.answer(http.getRequest(), http.getResponse(), next));
  }

  private async answer(
    request: Request,
    response: Response,
    next: CallHandler<Answer>,
  ): Promise<string> {
    const answer = await lastValueFrom(next.handle());
    const viewer = request.viewer ?? null;
    if (answer instanceof SeeOther) {
      if (answer.notice && viewer) await this.sessions.leaveNotice(viewer.sessionId, answer.notice);
      response.status(303).setHeader('Location', answer.path);
      return '';
    }
    const [status, page] =
      answer instanceof WithStatus ? [answer.status, answer.page] : [200, answer];
    response.status(status).type('html');
    return renderPage(page, {
      viewer,
      path: request.originalUrl,
      baseUrl: baseUrl(request, this.config),
      now: this.clock.now(),
      notice: viewer && (await this.sessions.takeNotice(viewer.sessionId)),
    });
  }
}
