import type { CookieOptions, Request, Response } from 'express';
import { SESSION_LASTS } from '../../access/sessions/sessions.service';
import type { Config } from '../../platform/config/config';
import { readCookie } from './cookies';

/**
 * The cookie of a session. Whether it is `Secure` follows the address that people see and not NODE_ENV: a
 * production behind TLS and a trial on plain HTTP both work. The prefix `__Host-` demands the path `/`.
 */
function cookieOf(config: Config): { name: string; options: CookieOptions } {
  const secure = config.publicUrl.startsWith('https:');
  return {
    name: secure ? '__Host-quiz_session' : 'quiz_session',
    options: { httpOnly: true, sameSite: 'lax', secure, path: secure ? '/' : '/dashboard' },
  };
}

export function readSessionCookie(request: Request, config: Config): string | null {
  return readCookie(request, cookieOf(config).name);
}

export function setSessionCookie(response: Response, config: Config, token: string): void {
  const { name, options } = cookieOf(config);
  response.cookie(name, token, { ...options, maxAge: SESSION_LASTS });
}

export function clearSessionCookie(response: Response, config: Config): void {
  const { name, options } = cookieOf(config);
  response.clearCookie(name, options);
}
