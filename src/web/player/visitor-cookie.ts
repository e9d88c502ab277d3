import type { CookieOptions, Request, Response } from 'express';
import { randomBytes } from 'node:crypto';
import type { Config } from '../../platform/config/config';
import { readCookie } from '../http/cookies';

const DAY = 86_400_000;
/** The player is known for so long after the last start. */
const VISITOR_LASTS = 180 * DAY;
/** As long as an attempt can be played. */
const ATTEMPT_LASTS = DAY;

/**
 * Two cookies, neither with data about the person. `quiz_player`: 256 random bits, of which the service stores only
 * a hash; the browser that has them continues the attempts it has started. `quiz_attempt`: the attempt that is
 * under way at one quiz, only to offer to continue it.
 */
function cookieOf(config: Config, name: 'quiz_player' | 'quiz_attempt', path: string) {
  const secure = config.publicUrl.startsWith('https:');
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', secure, path };
  return { name: secure ? `__Secure-${name}` : name, options };
}

/** Null for a browser that has not played anything yet. */
export function readVisitor(request: Request, config: Config): string | null {
  const token = readCookie(request, cookieOf(config, 'quiz_player', '/play').name);
  return token && /^[\w-]{43}$/.test(token) ? token : null;
}

export const readOpenAttempt = (request: Request, config: Config): string | null =>
  readCookie(request, cookieOf(config, 'quiz_attempt', '/play').name);

/** @returns the visitor's token, which the browser keeps for the full time from now on */
export function keepVisitor(request: Request, response: Response, config: Config): string {
  const token = readVisitor(request, config) ?? randomBytes(32).toString('base64url');
  const { name, options } = cookieOf(config, 'quiz_player', '/play');
  response.cookie(name, token, { ...options, maxAge: VISITOR_LASTS });
  return token;
}

export function keepOpenAttempt(response: Response, config: Config, path: string, id: string) {
  const { name, options } = cookieOf(config, 'quiz_attempt', path);
  response.cookie(name, id, { ...options, maxAge: ATTEMPT_LASTS });
}

export function forgetOpenAttempt(response: Response, config: Config, path: string) {
  const { name, options } = cookieOf(config, 'quiz_attempt', path);
  response.clearCookie(name, options);
}
