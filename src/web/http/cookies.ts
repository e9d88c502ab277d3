import type { CookieOptions, Request, Response } from 'express';
import { SESSION_LASTS } from '../../access/sessions/sessions.service';
import type { Config } from '../../platform/config/config';

/** The value of a cookie; null if the request carries none of this name. */
export function readCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = pair.split('=', 2);
    if (key.trim() === name) return value.trim();
  }
  return null;
}

/**
 * A cookie of the dashboard. `Secure` follows PUBLIC_URL and not NODE_ENV: a production behind TLS and a trial on
 * plain HTTP both work. The prefix `__Host-` requires the path `/`.
 */
class DashboardCookie {
  constructor(
    private readonly label: string,
    private readonly maxAge: number,
  ) {}

  read(request: Request, config: Config): string | null {
    return readCookie(request, this.of(config).name);
  }

  set(response: Response, config: Config, value: string): void {
    const { name, options } = this.of(config);
    response.cookie(name, value, { ...options, maxAge: this.maxAge });
  }

  clear(response: Response, config: Config): void {
    const { name, options } = this.of(config);
    response.clearCookie(name, options);
  }

  private of(config: Config): { name: string; options: CookieOptions } {
    const secure = config.publicUrl.startsWith('https:');
    return {
      name: secure ? `__Host-${this.label}` : this.label,
      options: { httpOnly: true, sameSite: 'lax', secure, path: secure ? '/' : '/dashboard' },
    };
  }
}

export const sessionCookie = new DashboardCookie('quiz_session', SESSION_LASTS);

/** Recognizes a browser that has signed in before (SignInsService). */
export const deviceCookie = new DashboardCookie('quiz_device', 180 * 86_400_000);
