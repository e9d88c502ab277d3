import type { Response } from 'express';
import { parseUrl } from '../../platform/text/url.rules';

/** What browsers report about the origin of a request. */
export interface Provenance {
  secFetchSite: string | undefined;
  origin: string | undefined;
  /** The origin that the request was sent to, `http://localhost:3000`. */
  target: string;
}

/**
 * Whether a request that changes something was sent by one of our pages. Browsers send Origin with it, and
 * Sec-Fetch-Site to secure origins and localhost. A request with neither was not sent by a form of ours.
 * @param publicOrigin of PUBLIC_URL: the only origin with pages of ours, since a foreign host name can be made to
 *   lead here (DNS rebinding). Null if it is not set: then the request's own origin is used, which no page of another
 *   site can choose
 */
export function isSameOrigin(
  { secFetchSite, origin, target }: Provenance,
  publicOrigin: string | null,
): boolean {
  if (publicOrigin !== null && origin !== undefined && origin !== publicOrigin) return false;
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin';
  return origin !== undefined && origin === (publicOrigin ?? target);
}

/** Where users go after signing in: the page they requested, if it is one of the dashboard's. */
export function nextPath(wanted: string): string {
  const url = wanted.startsWith('/') ? parseUrl(`http://origin.invalid${wanted}`) : null;
  // As the browser resolves it: `/dashboard/../play` is a page of players.
  const path = url ? url.pathname + url.search : '';
  return /^\/dashboard(?:[/?][\w\-./?=&%~+]*)?$/.test(path) ? path : '/dashboard';
}

/** Our pages have no inline script or style, so none is allowed: even injected text could not run. */
const policy = (frameAncestors: string, baseUri = `'none'`, styles: string[] = []) =>
  [
    `default-src 'self'`,
    ...styles.map((hash) => `style-src 'self' '${hash}'`),
    // Basecoat's own icons are data: URLs.
    `img-src 'self' data:`,
    `object-src 'none'`,
    `base-uri ${baseUri}`,
    `form-action 'self'`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');
const POLICY = policy(`'none'`);

export function setPageHeaders(response: Response): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  // With no-referrer browsers would send `Origin: null` with our own forms.
  response.setHeader('Referrer-Policy', 'same-origin');
}

/**
 * For the pages of Bull Board: they name their own base URL, and a component of theirs adds a constant style. A new
 * version may have another one (test/browser/queues.browser.ts).
 */
export function allowBoard(response: Response): void {
  response.setHeader(
    'Content-Security-Policy',
    policy(`'none'`, `'self'`, ['sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU=']),
  );
}

/** For what pages of other sites may read. It allows no cookies, so a cross-site request carries no identity. */
export function allowOrigins(response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
}

/** What cannot end a directive, a policy or a header. */
const SOURCE = /^[\w.:*/[\]-]+$/;

/**
 * @param origins that may show the page in a frame; `*` is any
 * @throws Error for a text that could add a directive to the policy
 */
export function allowFrames(response: Response, origins: readonly string[]): void {
  const odd = origins.find((origin) => !SOURCE.test(origin));
  if (odd !== undefined) throw new Error(`${JSON.stringify(odd)} is not a source for a policy.`);
  response.removeHeader('X-Frame-Options');
  response.setHeader('Content-Security-Policy', policy(origins.join(' ') || `'none'`));
}
