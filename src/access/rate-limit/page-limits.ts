import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { MINUTE } from '../../platform/durations';
import { isFileOfPages } from '../../platform/http/path.rules';
import { addressKey } from '../../platform/http/server/client-address';
import { LIMITS } from '../../platform/limits/limits';

declare module 'express-serve-static-core' {
  interface Request {
    /** The attempt that a page outside /api/v1 belongs to. It exists: a made-up id has no limit of its own. */
    attemptId?: string;
  }
}

/** The attempt that the path of a player's page names. */
export const attemptIn = (path: string): string | undefined =>
  /^\/(?:play\/[^/]+|embed\/[^/]+\/[^/]+)\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?=\/|$)/i
    .exec(path)?.[1]
    ?.toLowerCase();

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Request>();

type Kind = 'attempt' | 'file' | 'page';

function kindOf({ attemptId, path }: Request): Kind {
  if (attemptId) return 'attempt';
  return isFileOfPages(path) ? 'file' : 'page';
}

/** By what a page is counted: by its attempt, or by the client address, where files are counted apart. */
export function trackerOf(request: Request): string {
  const address = addressKey(request.ip);
  const trackers = {
    attempt: `attempt ${request.attemptId}`,
    file: `files ${address}`,
    page: address,
  };
  return trackers[kindOf(request)];
}

/**
 * The limits of pages and files. A school plays from one address: pages of an attempt are counted by attempt, and by
 * address only far beyond what a thousand players need.
 * @param perMinute of an address, for other pages
 */
export const pageThrottlers = (
  perMinute: number,
  isPage: (context: ExecutionContext) => boolean,
): ThrottlerOptions[] =>
  [pagesPerMinute(perMinute), pagesPerSecond(perMinute), PAGES_OF_ATTEMPTS].map(
    ({ skipIf, ...throttler }) => ({
      ...throttler,
      setHeaders: false,
      skipIf: (context) => !isPage(context) || skipIf?.(context) === true,
    }),
  );

const pagesPerMinute = (perMinute: number): ThrottlerOptions => ({
  name: 'pages',
  ttl: MINUTE,
  limit: limitBy({
    attempt: LIMITS.requests.attemptPagesPerMinute.value,
    file: LIMITS.requests.filesPerMinute.value,
    page: perMinute,
  }),
});

const PAGES_PER_SECOND = LIMITS.requests.pagesPerSecond.value;
const DEFAULT_PAGES_PER_MINUTE =
  LIMITS.requests.perMinute.value * LIMITS.requests.pagesPerMinute.value;

const pagesPerSecond = (perMinute: number): ThrottlerOptions => ({
  name: 'pages at once',
  ttl: 1_000,
  limit: limitBy({
    attempt: LIMITS.requests.attemptPagesPerSecond.value,
    file: LIMITS.requests.filesPerSecond.value,
    // A higher setting than the default keeps its ratio of a second's pages to a minute's.
    page: Math.max(PAGES_PER_SECOND, (perMinute * PAGES_PER_SECOND) / DEFAULT_PAGES_PER_MINUTE),
  }),
});

/** The pages of all attempts of an address. */
const PAGES_OF_ATTEMPTS: ThrottlerOptions = {
  name: 'pages of players',
  ttl: MINUTE,
  limit: LIMITS.requests.playersPages.value,
  skipIf: (context) => requestOf(context).attemptId === undefined,
  getTracker: ({ ip }) => addressKey(ip as string | undefined),
};

/** The limit of what `trackerOf` counts. */
const limitBy = (limits: Record<Kind, number>) => (context: ExecutionContext) =>
  limits[kindOf(requestOf(context))];
