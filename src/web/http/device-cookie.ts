import type { Request, Response } from 'express';
import type { Config } from '../../platform/config/config';
import { readCookie } from './cookies';

const LASTS = 180 * 86_400_000;

/** The cookie by which a browser that has signed in before is known again (KnownDevicesService). */
function cookieOf(config: Config) {
  const secure = config.publicUrl.startsWith('https:');
  return {
    name: secure ? '__Host-quiz_device' : 'quiz_device',
    options: {
      httpOnly: true,
      sameSite: 'lax' as const,
      secure,
      path: secure ? '/' : '/dashboard',
      maxAge: LASTS,
    },
  };
}

export function readDeviceCookie(request: Request, config: Config): string | null {
  return readCookie(request, cookieOf(config).name);
}

export function setDeviceCookie(response: Response, config: Config, value: string): void {
  const { name, options } = cookieOf(config);
  response.cookie(name, value, options);
}
