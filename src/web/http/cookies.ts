import type { CookieOptions, Request, Response } from 'express';
import { SESSION_LASTS } from '../../access/sessions/sessions.service';
import type { Config } from '../../platform/config/config';
import { DAY } from '../../platform/durations';

/**
 * A cookie of the pages. `Secure` depends on PUBLIC_URL and not on NODE_ENV, so that both production behind TLS and
 * plain HTTP work. The prefix `__Host-` requires the path `/`.
 */
class PageCookie {
  constructor(
    private readonly label: string,
    private readonly prefix: '__Host-' | '__Secure-',
    private readonly path: string,
    private readonly maxAge: number,
  ) {}

  /** Null if the request carries none. */
  read({ headers }: Request, config: Config): string | null {
    const { name } = this.of(config);
    for (const pair of (headers.cookie ?? '').split(';')) {
      const [key = '', value = ''] = pair.split('=', 2);
      if (key.trim() === name) return value.trim();
    }
    return null;
  }

  /** The text that was set; '' if there is none. */
  readText(request: Request, config: Config): string {
    try {
      return decodeURIComponent(this.read(request, config) ?? '');
    } catch {
      return '';
    }
  }

  /** @param path below the cookie's own: it is only sent there */
  set(response: Response, config: Config, value: string, path = this.path): void {
    const { name, options } = this.of(config, path);
    response.cookie(name, value, { ...options, maxAge: this.maxAge });
  }

  clear(response: Response, config: Config, path = this.path): void {
    const { name, options } = this.of(config, path);
    response.clearCookie(name, options);
  }

  private of(config: Config, path = this.path): { name: string; options: CookieOptions } {
    const secure = config.publicUrl.startsWith('https:');
    const root = secure && this.prefix === '__Host-';
    return {
      name: secure ? this.prefix + this.label : this.label,
      options: { httpOnly: true, sameSite: 'lax', secure, path: root ? '/' : path },
    };
  }
}

export const sessionCookie = new PageCookie('quiz_session', '__Host-', '/dashboard', SESSION_LASTS);

/** Recognizes a browser that has signed in before (SignInsService). */
export const deviceCookie = new PageCookie('quiz_device', '__Host-', '/dashboard', 180 * DAY);

/**
 * 256 random bits, of which the service stores only a hash; no personal data. The browser that has them can continue
 * the attempts it started.
 */
export const visitorCookie = new PageCookie('quiz_player', '__Secure-', '/play', 180 * DAY);

/** The name that was typed last, so that nobody has to type it again. */
export const nameCookie = new PageCookie('quiz_name', '__Secure-', '/play', 180 * DAY);

/** The current attempt at one quiz, only to offer to continue it. It lasts as long as an attempt can be played. */
export const openAttemptCookie = new PageCookie('quiz_attempt', '__Secure-', '/play', DAY);

/** Light or dark, where the visitor has chosen; otherwise the system decides. */
const themeCookie = new PageCookie('quiz_theme', '__Host-', '/', 365 * DAY);

/** The language that the visitor has chosen, so that links and forms lead to pages in it (language.ts). */
export const languageCookie = new PageCookie('quiz_language', '__Host-', '/', 365 * DAY);

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function readTheme(request: Request, config: Config): Theme {
  const kept = themeCookie.read(request, config);
  return THEMES.find((theme) => theme === kept) ?? 'system';
}

export function setTheme(response: Response, config: Config, theme: string): void {
  if (theme === 'light' || theme === 'dark') themeCookie.set(response, config, theme);
  else themeCookie.clear(response, config);
}

/** The token of a player; null for a browser that has not played anything yet. */
export function readVisitor(request: Request, config: Config): string | null {
  const token = visitorCookie.read(request, config);
  return token && isVisitorToken(token) ? token : null;
}

export const isVisitorToken = (text: string): boolean => /^[\w-]{43}$/.test(text);
