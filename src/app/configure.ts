import type { IncomingMessage, Server } from 'node:http';
import { parse, type ParseOptions } from 'node:querystring';
import { type NestApplicationOptions, RequestMethod } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { PagesMiddleware } from '../access/rate-limit/pages.middleware';
import { Config } from '../platform/config/config';
import { ReadYourWrites } from '../platform/database/read-your-writes';
import { Bursts } from '../platform/hardening/bursts';
import { limitConnections, limitPipelining } from '../platform/hardening/connections';
import { shedLoad } from '../platform/hardening/load';
import { limitSlowClients } from '../platform/hardening/slow-clients';
import { isApi } from '../platform/http/path.rules';
import { accessLog } from '../platform/http/server/access-log';
import { requestContext } from '../platform/http/server/request-context';
import {
  requireHost,
  respondToUnreadableRequests,
} from '../platform/http/server/unreadable-requests';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { measureRequests, Metrics } from '../platform/observability/metrics';
import { decodeQueryText } from '../platform/text/url.rules';
import { serveAssets } from '../web/http/assets';
import { SITE_FILES, usePageErrors, useWeb } from '../web/use-web';

/** The options of the Nest application, for the API and its tests. */
export const API_OPTIONS = {
  bodyParser: false,
  abortOnError: false,
  // `/imports/template.csv` before `/imports/:id`, whichever controller has them.
  routeResolutionStrategy: 'specificity',
  routeConflictPolicy: { duplicate: 'error' },
} as const satisfies NestApplicationOptions;

/** Everything between the network and Nest's guards, for the API and its tests. */
export function configure(app: NestExpressApplication): void {
  configureExpress(app);
  useMiddleware(app);
  app.setGlobalPrefix('api/v1', { exclude: OUTSIDE_API });
  configureServer(app);
  // It keeps trying by itself. Other processes connect only if they read from replicas.
  void app.get(ReadYourWrites).connect();
}

function configureExpress(app: NestExpressApplication): void {
  const { trustProxy } = app.get(Config);
  app.disable('x-powered-by');
  // Reads of the API have one (`sendText`); Express would add one to everything.
  app.set('etag', false);
  if (trustProxy !== null) app.set('trust proxy', trustProxy);
  app.set('query parser', (query: string) => parse(query, '&', '=', QUERY));
}

/** In this order: what is refused early costs least, and is logged. */
function useMiddleware(app: NestExpressApplication): void {
  const config = app.get(Config);
  const pages = app.get(PagesMiddleware);
  const bursts = app.get(Bursts);
  const log = accessLog(app.get<Logger>(LOGGER));
  app.use(limitPipelining, bursts.use.bind(bursts), requestContext, log, requireHost);
  // Browsers respect it only in responses over TLS.
  if (config.publicUrlGiven && config.publicUrl.startsWith('https:'))
    app.use(setStrictTransportSecurity);
  app.enableCors(corsOptions);
  usePageErrors(app);
  app.use(pages.use.bind(pages));
  // An asset costs less than its refusal, and a page without its styles looks broken.
  app.use(serveAssets, shedLoad(app.getHttpServer()));
  useWeb(app);
}

function setStrictTransportSecurity(_: Request, response: Response, next: NextFunction): void {
  response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  next();
}

/** Limits on connections, and responses to what Node.js cannot read as HTTP. */
function configureServer(app: NestExpressApplication): void {
  const logger = app.get<Logger>(LOGGER);
  const server: Server = app.getHttpServer();
  limitSlowClients(server);
  const isTrusted = app.getHttpAdapter().getInstance().get('trust proxy fn') as TrustsProxy;
  limitConnections(server, (address) => isTrusted(address, 0), logger);
  const bursts = app.get(Bursts);
  server.on('connection', () => bursts.accepted());
  respondToUnreadableRequests(server, logger);
  if (app.get(Config).metrics) measureRequests(server, app.get(Metrics));
}

/** Pages, files, health checks, assistants and clients of OpenTDB. */
const OUTSIDE_API = [
  { path: 'health/{*path}', method: RequestMethod.ALL },
  // Only GET: the API's own root accepts every method.
  { path: '/', method: RequestMethod.GET },
  { path: 'dashboard{/*path}', method: RequestMethod.ALL },
  { path: 'play{/*path}', method: RequestMethod.ALL },
  { path: 'media/:id', method: RequestMethod.GET },
  { path: 'covers/:slug.png', method: RequestMethod.GET },
  { path: 'theme', method: RequestMethod.POST },
  { path: 'embed{/*path}', method: RequestMethod.ALL },
  { path: 'docs{/*path}', method: RequestMethod.ALL },
  ...SITE_FILES.map((path) => ({ path, method: RequestMethod.GET })),
  { path: 'mcp{/*path}', method: RequestMethod.ALL },
  { path: 'opentdb{/*path}', method: RequestMethod.ALL },
];

const QUERY: ParseOptions = {
  // No limit on the number of parameters: the default would silently drop the rest.
  maxKeys: 0,
  decodeURIComponent: decodeQueryText,
};

/** The function that Express makes from `trust proxy`. With a number of hops every peer is a proxy. */
type TrustsProxy = (address: string, hop: number) => boolean;

/** Any origin may use the API, without credentials: keys are sent explicitly, and there are no cookies. */
const corsOptions = ((request: IncomingMessage, callback) => {
  if (!isApi(request.url ?? '')) return callback(null, { origin: false });
  callback(null, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    maxAge: 86_400,
    // An OPTIONS that is not a preflight is a method like any other: 405, with the supported methods.
    preflightContinue: !('access-control-request-method' in request.headers),
  });
}) satisfies NestApplicationOptions['cors'];

const ALLOWED =
  'Authorization, X-Api-Key, Content-Type, X-Request-Id, Idempotency-Key, If-Match, If-None-Match, Mcp-Protocol-Version, Mcp-Method, Mcp-Name';

const EXPOSED =
  'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Location, Link, ETag, Idempotency-Replayed, X-Error-Code, X-Ignored, Content-Disposition';
