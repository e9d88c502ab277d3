import type { Response } from 'express';

/** What browsers say about where a request comes from. */
export interface Provenance {
  secFetchSite: string | undefined;
  origin: string | undefined;
  /** The address that the request was sent to, `http://localhost:3000`. */
  target: string;
}

/**
 * Whether a request that changes something was made by a page of ours. Browsers send Origin with it, and
 * Sec-Fetch-Site to secure addresses and to localhost. A request with neither was not made by a form of ours.
 * @param publicOrigin of PUBLIC_URL: the only address with pages of ours, since a foreign host name can be made to
 *   lead here (DNS rebinding). Null where it is not set: the request's own address then counts, which no page of
 *   another site can choose
 */
export function isSameOrigin(
  { secFetchSite, origin, target }: Provenance,
  publicOrigin: string | null,
): boolean {
  if (publicOrigin !== null && origin !== undefined && origin !== publicOrigin) return false;
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin';
  return origin !== undefined && origin === (publicOrigin ?? target);
}

/** Where people go after signing in: the page that they asked for, if it is one of the dashboard's. */
export function nextPath(wanted: string): string {
  return /^\/dashboard(?:[/?][\w\-./?=&%~+]*)?$/.test(wanted) ? wanted : '/dashboard';
}

/** No inline script or style anywhere, so none is allowed: not even hostile text that got through could run. */
const POLICY = [
  `default-src 'self'`,
  // Basecoat's own icons are data: URLs.
  `img-src 'self' data:`,
  `object-src 'none'`,
  `base-uri 'none'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
].join('; ');

export function setPageHeaders(response: Response): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  // With no-referrer browsers would send `Origin: null` with our own forms.
  response.setHeader('Referrer-Policy', 'same-origin');
}
