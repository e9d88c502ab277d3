import type { Response } from 'express';

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
