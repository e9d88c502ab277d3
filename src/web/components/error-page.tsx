import type { Request, Response } from 'express';
import type { Clock } from '../../platform/clock';
import type { Config } from '../../platform/config/config';
import type { ErrorEnvelope } from '../../platform/http/server/error-filter';
import { readTheme } from '../http/cookies';
import { baseUrl, renderPage } from '../http/page-context';
import { LinkButton } from './button';
import { Plain } from './document';

const TITLES: Record<number, string> = {
  403: 'Not allowed',
  404: 'Page not found',
  405: 'Not possible here',
  409: 'Not possible now',
  410: 'No longer available',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Busy',
};

/** By status, message and frame: some 60 messages contain minutes, the others are constant. */
const busyPages = new Map<string, string>();

/**
 * Responds to errors of pages: users who are not signed in are redirected to sign in; everything else is an error
 * page.
 */
export function errorPage(request: Request, response: Response, config: Config, clock: Clock) {
  return (status: number, { error }: ErrorEnvelope): void => {
    if (status === 401) {
      const back = request.method === 'GET' ? request.originalUrl : '/dashboard';
      response
        .status(303)
        .setHeader('Location', `/dashboard/sign-in?next=${encodeURIComponent(back)}`);
      response.end();
      return;
    }
    const isPlayer = !/^\/dashboard/.test(request.originalUrl);
    const send = (html: string) => void response.status(status).type('html').send(html);
    // Rendered once: refusing a client that sends too much must not cost a page each time.
    const theme = readTheme(request, config);
    const busy =
      status === 429 || status === 503 ? `${status} ${isPlayer} ${theme} ${error}` : null;
    const kept = busy === null ? undefined : busyPages.get(busy);
    if (kept !== undefined) return send(kept);
    const unknown = status === 404 && /^There is no page at this URL/.test(error);
    const page = (
      <Plain title={TITLES[status] ?? 'Not possible'}>
        <p>{unknown ? 'There is no page at this URL.' : error}</p>
        {status === 500 && (
          <p class="muted">
            The log of the service tells more under <code>{request.id}</code>.
          </p>
        )}
        <p>
          <LinkButton
            look="outline"
            href={isPlayer ? '/' : '/dashboard'}
            text={isPlayer ? 'To the front page' : 'To the overview'}
          />
        </p>
      </Plain>
    );
    const html = renderPage(page, {
      viewer: null,
      path: request.originalUrl,
      baseUrl: baseUrl(request, config),
      now: clock.now(),
      theme,
      notice: null,
    });
    if (busy !== null) busyPages.set(busy, html);
    send(html);
  };
}
