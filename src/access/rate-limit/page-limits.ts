import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { MINUTE } from '../../platform/durations';
import { addressKey } from '../../platform/http/server/access-log';
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

const isFile = (path: string) => /^\/(?:dashboard\/assets\/|media\/|favicon)/.test(path);

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Request>();

/** By what a page is counted: by its attempt, or by the client address, where files are counted apart. */
export function trackerOf({ attemptId, path, ip }: Request): string {
  if (attemptId) return `attempt ${attemptId}`;
  return isFile(path) ? `files ${addressKey(ip)}` : addressKey(ip);
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
  [inAMinute(perMinute), inASecond(perMinute), OF_PLAYERS].map(({ skipIf, ...throttler }) => ({
    ...throttler,
    setHeaders: false,
    skipIf: (context) => !isPage(context) || skipIf?.(context) === true,
  }));

const inAMinute = (perMinute: number): ThrottlerOptions => ({
  name: 'pages',
  ttl: MINUTE,
  limit: limitBy({
    attempt: LIMITS.requests.attemptPagesPerMinute.value,
    file: LIMITS.requests.filesPerMinute.value,
    page: perMinute,
  }),
});

const inASecond = (perMinute: number): ThrottlerOptions => ({
  name: 'pages at once',
  ttl: 1_000,
  limit: limitBy({
    attempt: LIMITS.requests.attemptPagesPerSecond.value,
    file: LIMITS.requests.filesPerSecond.value,
    // With the default settings a ninth of a minute's, and so it stays if an operator sets a higher limit.
    page: Math.max(LIMITS.requests.pagesPerSecond.value, perMinute / 9),
  }),
});

/** The pages of all attempts of an address. */
const OF_PLAYERS: ThrottlerOptions = {
  name: 'pages of players',
  ttl: MINUTE,
  limit: LIMITS.requests.playersPages.value,
  skipIf: (context) => requestOf(context).attemptId === undefined,
  getTracker: ({ ip }) => addressKey(ip as string | undefined),
};

/** The limit of what `trackerOf` counts: an attempt, files, or other pages. */
const limitBy =
  (limits: Record<'attempt' | 'file' | 'page', number>) =>
  (context: ExecutionContext): number => {
    const { attemptId, path } = requestOf(context);
    if (attemptId) return limits.attempt;
    return isFile(path) ? limits.file : limits.page;
  };
