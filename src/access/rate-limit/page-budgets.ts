import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerOptions } from '@nestjs/throttler';
import type { Request } from 'express';
import { addressKey } from '../../platform/http/server/access-log';
import { LIMITS } from '../../platform/limits/limits';
import { MINUTE } from './memory-throttler-storage';

declare module 'express-serve-static-core' {
  interface Request {
    /** The attempt that a page outside /api/v1 belongs to. It exists: what a client makes up has no budget. */
    attemptId?: string;
  }
}

/** The attempt that the path of a player's page names. */
export const attemptIn = (path: string): string | undefined =>
  /^\/(?:play\/[^/]+|embed\/[^/]+\/[^/]+)\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?=\/|$)/i
    .exec(path)?.[1]
    ?.toLowerCase();

const isFile = (path: string) => /^\/(?:dashboard\/assets\/|favicon)/.test(path);

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Request>();

/** Whose budget a page takes: its attempt's, or the client address's for pages or for files. */
export function trackerOf({ attemptId, path, ip }: Request): string {
  if (attemptId) return `attempt ${attemptId}`;
  return isFile(path) ? `files ${addressKey(ip)}` : addressKey(ip);
}

/**
 * The limits of pages and files. A school plays from one address: pages of an attempt are counted by attempt, and by
 * address only far beyond what a thousand players need.
 * @param perMinute of an address, for other pages
 */
export function pageThrottlers(
  perMinute: number,
  isPage: (context: ExecutionContext) => boolean,
): ThrottlerOptions[] {
  const { pagesPerSecond, attemptPagesPerMinute, attemptPagesPerSecond, playersPages } =
    LIMITS.requests;
  const { filesPerMinute, filesPerSecond } = LIMITS.requests;
  const by =
    ({ attempt, file, page }: Record<'attempt' | 'file' | 'page', number>) =>
    (context: ExecutionContext) => {
      const { attemptId, path } = requestOf(context);
      if (attemptId) return attempt;
      return isFile(path) ? file : page;
    };
  const common = { skipIf: (context: ExecutionContext) => !isPage(context), setHeaders: false };
  return [
    {
      name: 'pages',
      ttl: MINUTE,
      limit: by({
        attempt: attemptPagesPerMinute.value,
        file: filesPerMinute.value,
        page: perMinute,
      }),
      ...common,
    },
    {
      name: 'pages at once',
      ttl: 1_000,
      limit: by({
        attempt: attemptPagesPerSecond.value,
        file: filesPerSecond.value,
        // Grows with the limit that an operator sets.
        page: Math.max(pagesPerSecond.value, perMinute / 9),
      }),
      ...common,
    },
    {
      name: 'pages of players',
      ttl: MINUTE,
      limit: playersPages.value,
      ...common,
      skipIf: (context) => !isPage(context) || requestOf(context).attemptId === undefined,
      getTracker: ({ ip }) => addressKey(ip as string | undefined),
    },
  ];
}
