import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { escapeUTF8 } from 'entities';
import type { Request, Response } from 'express';
import type { VNode } from 'preact';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { FlashMessage } from '../../access/sessions/sessions.dto';
import { SessionsService } from '../../access/sessions/sessions.service';
import { ReviewQueueService } from '../../authoring/review/review-queue.service';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { ConstantText } from '../../platform/http/server/text-response';
import type { Messages } from '../../platform/messages/messages';
import { readTheme } from './cookies';
import { pageMessages, readerLanguage } from './language';
import { baseUrl, ORIGIN, renderPage, type Viewer, type Waiting } from './page-context';

/** Redirects the browser, so that a reload repeats nothing (303). */
class Redirection {
  constructor(
    readonly path: string,
    readonly notice?: FlashMessage,
  ) {}
}

/** A page that is the same for everybody: rendered once for each theme and language, and again when its content has changed. */
export class ConstantPage {
  /** @param shown the data on it, compared by identity */
  constructor(
    readonly render: () => VNode,
    readonly shown: readonly unknown[] = [],
  ) {}
}

/** What a handler of pages returns. */
export type PageResult = VNode | Redirection | ConstantPage | StreamableFile | ConstantText;

/** After a change: redirects to `path` (of the dashboard), where `notice` reports the result. */
export const redirect = (path: string, notice?: string) =>
  new Redirection(path, notice ? { text: notice, isRefusal: false } : undefined);

/** The same where something failed. A form with fields is shown again instead: see `OnRefusal`. */
export const redirectRefused = (path: string, text: string) =>
  new Redirection(path, { text, isRefusal: true });

/** Turns what a handler returns into a response: a page, a redirect or a file. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  private readonly constants = new Map<string, RenderedPage>();

  constructor(
    private readonly sessions: SessionsService,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly queue: ReviewQueueService,
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
    const messages = (request.messages = pageMessages(request, response, this.config));
    // Nest's default for a POST is 201. Handlers may set another status.
    response.status(200);
    const result = await lastValueFrom(next.handle());
    if (result instanceof StreamableFile || result instanceof ConstantText) return result;
    if (result instanceof ConstantPage) {
      response.setHeader('Cache-Control', 'public, max-age=60');
      response.setHeader('Vary', 'Cookie, Accept-Language');
      response.setHeader('Content-Language', messages.language);
      return this.constant(request, messages, result);
    }
    const viewer = request.viewer ?? null;
    if (viewer) await this.rememberLanguage(request, viewer);
    if (result instanceof Redirection) {
      if (result.notice && viewer)
        await this.sessions.leaveFlashMessage(viewer.sessionId, result.notice);
      response.status(303).setHeader('Location', result.path);
      return '';
    }
    response.type('html');
    return renderPage(result, {
      viewer,
      path: request.originalUrl,
      baseUrl: baseUrl(request, this.config),
      now: this.clock.now(),
      theme: readTheme(request, this.config),
      messages,
      isRefused: response.statusCode >= 400,
      isPosted: request.method === 'POST',
      // Not for a part of a page that updates itself: the notice is for the page that another tab opens.
      notice:
        viewer && !request.headers['hx-request']
          ? await this.sessions.takeFlashMessage(viewer.sessionId)
          : null,
      ...(viewer && { waiting: await this.waiting(viewer) }),
    });
  }

  private async rememberLanguage(request: Request, viewer: Viewer): Promise<void> {
    const language = readerLanguage(request, this.config);
    if (language !== (viewer.language ?? 'en'))
      await this.sessions.rememberLanguage(viewer.accountId, language);
  }

  /** Sessions are looked up with two of these counts, so this costs an administrator one query and others none. */
  private async waiting({ isAdmin, unread, planRequests }: Viewer): Promise<Waiting> {
    return {
      notices: unread,
      review: isAdmin ? await this.queue.countWaiting() : 0,
      accounts: planRequests,
    };
  }

  private constant(
    request: Request,
    messages: Messages,
    { render, shown }: ConstantPage,
  ): ConstantText {
    // As routes are matched: decoded, ignoring case, with or without a trailing slash. So a page has one key.
    const path = decodeURIComponent(request.path)
      .toLowerCase()
      .replace(/(?<=.)\/$/, '');
    const theme = readTheme(request, this.config);
    const key = `${path} ${theme} ${messages.language}`;
    let page = this.constants.get(key);
    if (!page || shown.some((it, at) => it !== page?.shown[at])) {
      const now = this.clock.now();
      const context = { viewer: null, path, baseUrl: ORIGIN, now, theme, messages, notice: null };
      page = { html: renderPage(render(), context), shown };
      this.constants.set(key, page);
    }
    const { publicUrl } = this.config;
    const address = baseUrl(request, this.config);
    if (address === publicUrl) return (page.own ??= pageAt(page.html, publicUrl));
    // The service can be reached by other hosts, such as its IP address. Compressing a large page for each request cost half
    // a CPU core.
    if (page.other?.address !== address) page.other = { address, text: pageAt(page.html, address) };
    return page.other.text;
  }
}

type Sent = string | ConstantText | StreamableFile;

/**
 * A constant page, with a placeholder for the service's URL: without PUBLIC_URL the client chooses its host, and a new
 * one must cost no rendering (25 ms for a page of the documentation) and no further memory.
 */
interface RenderedPage {
  html: string;
  shown: readonly unknown[];
  /** At the service's own URL. */
  own?: ConstantText;
  /** At the last other address by which a client came: one, since clients choose it. */
  other?: { address: string; text: ConstantText };
}

const pageAt = (html: string, address: string): ConstantText =>
  new ConstantText(
    'text/html; charset=utf-8',
    html.replaceAll(ORIGIN, () => escapeUTF8(address)),
  );
