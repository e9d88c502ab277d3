import type { Request, Response } from 'express';
import type { Clock } from '../../platform/clock';
import type { Config } from '../../platform/config/config';
import { isWrite } from '../../platform/database/read-your-writes';
import { NotFound } from '../../platform/errors/domain-errors';
import type { ErrorEnvelope } from '../../platform/http/server/error-filter';
import type { MessageKey } from '../../platform/messages/messages';
import { translated } from '../../platform/messages/refusals';
import { isId } from '../../platform/text/ids';
import { parseUrl } from '../../platform/text/url.rules';
import { readTheme } from '../http/cookies';
import { isInDashboard, pageMessages } from '../http/language';
import { baseUrl, renderPage } from '../http/page-context';
import { LinkButton } from './button';
import { Plain } from './document';
import { sectionOf } from './page';

const TITLES: Record<number, MessageKey> = {
  401: 'error.401',
  403: 'error.403',
  404: 'error.404',
  405: 'error.405',
  409: 'error.409',
  410: 'error.410',
  413: 'error.413',
  429: 'error.429',
  500: 'error.500',
  503: 'error.503',
};

const SIGN_IN = '/dashboard/sign-in';

/** What is for others: administrators, or services that let everybody sign up. */
const NO_PAGE = new NotFound('Page').message;

/** The page of the dashboard with the form that was sent; if it was the page of what is gone, the one above it. */
function formPage(request: Request, error: string): string | undefined {
  const url = parseUrl(request.headers.referer ?? '');
  if (!url || !/^\/dashboard(?=\/|$)/.test(url.pathname)) return undefined;
  const [outer, inner] = request.path.split('/').filter(isId);
  const isInQuiz = request.path.startsWith('/dashboard/quizzes/') && !/^Quiz /.test(error);
  const gone = isInQuiz ? inner : outer;
  return gone && url.pathname.split('/').includes(gone)
    ? sectionOf(url.pathname)
    : url.pathname + url.search;
}

/** By status, kind of page, theme, language and message: some 60 messages contain minutes, the others are constant. */
const busyPages = new Map<string, string>();

/**
 * Responds to errors of pages: users who are not signed in are redirected to sign in; everything else is an error
 * page. So is a form of a user whose session has ended: a redirect would lose what was typed, and a reload of this page
 * sends it again.
 */
export function errorPage(request: Request, response: Response, config: Config, clock: Clock) {
  return (status: number, { error }: ErrorEnvelope): void => {
    // A part of a page that is asked for by its script (htmx): the whole page then leads to sign in, or says what is gone.
    if (request.headers['hx-request'] && (status === 401 || status === 404)) {
      response.status(status).setHeader('HX-Refresh', 'true').end();
      return;
    }
    if (status === 401 && !isWrite(request.method)) {
      response
        .status(303)
        .setHeader('Location', `${SIGN_IN}?next=${encodeURIComponent(request.originalUrl)}`);
      response.end();
      return;
    }
    const isPublic = !/^\/dashboard/.test(request.originalUrl);
    const send = (html: string) => void response.status(status).type('html').send(html);
    // Rendered once: refusing a client that sends too much must not cost a page each time.
    const theme = readTheme(request, config);
    const messages = pageMessages(request, response, config);
    const busy =
      status === 429 || status === 503
        ? `${status} ${isPublic} ${theme} ${messages.language} ${error}`
        : null;
    const kept = busy === null ? undefined : busyPages.get(busy);
    if (kept !== undefined) return send(kept);
    const unknown = status === 404 && /^There is no page at this URL/.test(error);
    const { t, rich } = messages;
    // From a page that was opened before: what its form is about is gone.
    const isLate =
      status === 404 &&
      isWrite(request.method) &&
      isInDashboard(request) &&
      !unknown &&
      error !== NO_PAGE;
    const back = isLate && formPage(request, error);
    const page = (
      <Plain title={t(isLate ? 'error.unchanged' : (TITLES[status] ?? 'error.other'))} isError>
        <p>
          {status === 401
            ? rich('error.signedOut', {
                link: (text) => (
                  <a class="link" href={SIGN_IN} target="_blank">
                    {text}
                  </a>
                ),
              })
            : isLate
              ? t('error.late')
              : unknown
                ? t('error.noPage')
                : translated(error, messages)}
        </p>
        {status === 500 && (
          <p class="muted">{rich('error.inLog', { id: <code>{request.id}</code> })}</p>
        )}
        {status !== 401 && (
          <p class="buttons">
            {back && <LinkButton look="primary" href={back} text={t('do.back')} />}
            <LinkButton
              look="outline"
              href={isPublic ? '/' : '/dashboard'}
              text={t(isPublic ? 'page.frontPage' : 'page.overview')}
            />
          </p>
        )}
      </Plain>
    );
    const html = renderPage(page, {
      viewer: null,
      // Without the query, which may have a token: the page is kept for others.
      path: request.path,
      baseUrl: baseUrl(request, config),
      now: clock.now(),
      theme,
      messages,
      notice: null,
    });
    if (busy !== null) busyPages.set(busy, html);
    send(html);
  };
}
