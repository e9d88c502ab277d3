/** What browsers say about where a request comes from. */
export interface Provenance {
  secFetchSite: string | undefined;
  origin: string | undefined;
  /** The address that the request was sent to, `http://localhost:3000`. */
  target: string;
}

/**
 * Whether a request that changes something was made by a page of ours. Browsers send Sec-Fetch-Site to
 * secure addresses and to localhost; elsewhere Origin must be our own. A request with neither was not made
 * by a form of ours.
 * @param publicOrigin of PUBLIC_URL; null where it is not set: the request's own address then counts, which
 *   no page of another site can choose
 */
export function isSameOrigin(from: Provenance, publicOrigin: string | null): boolean {
  if (from.secFetchSite !== undefined) return from.secFetchSite === 'same-origin';
  return from.origin !== undefined && from.origin === (publicOrigin ?? from.target);
}
