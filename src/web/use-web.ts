import type { NestExpressApplication } from '@nestjs/platform-express';
import { type NextFunction, type Request, type Response, urlencoded } from 'express';
import { SessionsService } from '../access/sessions/sessions.service';
import { Clock } from '../platform/clock';
import { Config } from '../platform/config/config';
import { isWrite, ReadYourWrites } from '../platform/database/read-your-writes';
import { Forbidden, Malformed, TooLarge, Unauthenticated } from '../platform/errors/domain-errors';
import { isApi, isHealth } from '../platform/http/path.rules';
import { LIMITS } from '../platform/limits/limits';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { storable } from '../platform/text/text.rules';
import { errorPage } from './components/error-page';
import { sessionCookie } from './http/cookies';
import { baseUrl } from './http/page-context';
import { allowOrigins, isSameOrigin, setPageHeaders } from './http/page-security';

/** Errors of pages are pages, also those of the limits that run before them. */
export function usePageErrors(app: NestExpressApplication): void {
  const config = app.get(Config);
  const clock = app.get(Clock);
  app.use((request: Request, response: Response, next: NextFunction) => {
    // Also an unknown URL, if a browser asks for it: whoever looks at it gets a page.
    if (PAGES.test(request.path) || (!isForPrograms(request.path) && isBrowser(request))) {
      setPageHeaders(response);
      if (EMBEDDED.test(request.path)) allowOrigins(response);
      request.sendErrorPage = errorPage(request, response, config, clock);
    }
    next();
  });
}

/** Outside the folders of the site: SiteFilesController. */
export const SITE_FILES = [
  'robots.txt',
  'llms.txt',
  'sitemap.xml',
  'site.webmanifest',
  'license.txt',
  'clients/typescript.tgz',
  'favicon.ico',
  'embed.js',
  'oembed',
] as const;

const EMBEDDED = /^\/embed(?=\/|$)/i;
const PAGES = /^\/(?:(?:dashboard|play|embed|theme|docs)(?=\/|$)|$)/i;
/** Also the paths below /api that no version of the API has. */
const isForPrograms = (path: string) =>
  /^\/api(?=\/|$)/i.test(path) || isApi(path) || isHealth(path);
const isBrowser = (request: Request) => request.get('accept')?.includes('text/html') ?? false;

/**
 * Everything between the limits and the pages, in this order: the check of a post's origin, the session, and
 * only then the body. API requests skip it.
 */
export function useWeb(app: NestExpressApplication): void {
  const config = app.get(Config);
  const sessions = app.get(SessionsService);
  const writes = app.get(ReadYourWrites);
  const publicOrigin = config.publicUrlGiven ? new URL(config.publicUrl).origin : null;
  const at = publicOrigin ? ` at ${publicOrigin}` : '';

  const refuseCrossSite = (request: Request, _: Response, next: NextFunction) => {
    const provenance = {
      secFetchSite: request.get('sec-fetch-site'),
      origin: request.get('origin'),
      target: baseUrl(request, config),
    };
    if (!isWrite(request.method) || isSameOrigin(provenance, publicOrigin)) next();
    else
      next(
        new Forbidden(
          `This form was not sent by a page of this site, so nothing was changed. Open the page again${at} and send it from there.`,
        ),
      );
  };
  const findViewer = async (request: Request, _: Response, next: NextFunction) => {
    const token = sessionCookie.read(request, config);
    const viewer = token ? await sessions.find(token) : null;
    if (viewer) {
      request.viewer = viewer;
      request.accountId = viewer.accountId;
      request.sessionId = viewer.sessionId;
      if (isWrite(request.method)) await writes.note(viewer.accountId);
    }
    next();
  };
  // Nobody who is not signed in needs to send anything longer than a password. Whoever does elsewhere had a session.
  const readForm = (request: Request, response: Response, next: NextFunction) =>
    (request.viewer ? longForm : shortForm)(request, response, (error?: { status?: number }) => {
      if (error === undefined) next();
      else if (error.status === 413 && hadSession(request)) next(new Unauthenticated());
      else next(unreadable(error));
    });
  const hadSession = ({ viewer, originalUrl }: Request) =>
    !viewer && /^\/dashboard(?!\/(?:sign-|set-up))/i.test(originalUrl);

  if (!config.publicUrlGiven) app.use(warnOfHost(app.get<Logger>(LOGGER)));
  app.use('/dashboard', refuseCrossSite, findViewer, readForm);
  app.use(['/play', '/theme'], refuseCrossSite, readForm);
  // No check of the origin: no cookie is used here, and other sites are where it is used.
  app.use('/embed', readForm);
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/i;

/** Warns once: the links of pages lead to whatever host the client names. */
function warnOfHost(logger: Logger) {
  let warned = false;
  return ({ hostname, path }: Request, _: Response, next: NextFunction): void => {
    if (!warned && !isForPrograms(path) && hostname && !LOOPBACK.test(hostname)) {
      warned = true;
      logger.warn(
        { host: storable(hostname.slice(0, 260)) },
        'A request names a host other than localhost, and PUBLIC_URL is not set, so links in pages use whatever host the client names. Set PUBLIC_URL to the public URL of the service.',
      );
    }
    next();
  };
}

const { formBytes, formFields, signedOutFormBytes, signedOutFormFields } = LIMITS.requests;
const shortForm = urlencoded({
  extended: false,
  limit: signedOutFormBytes.value,
  parameterLimit: signedOutFormFields.value,
});
const longForm = urlencoded({
  extended: false,
  limit: formBytes.value,
  parameterLimit: formFields.value,
});

const unreadable = ({ status }: { status?: number }) =>
  status === 413
    ? new TooLarge('The form is too large. Send less of it at a time.')
    : new Malformed('The form could not be read. Go back and send it again.');
