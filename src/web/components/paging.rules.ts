/** A page of a list: its number from 1, and what that means to a query. */
export interface PageOf {
  number: number;
  limit: number;
  offset: number;
}

/** Reads `?page=`; what is no page of a list is the first one. */
export function pageOf(given: string, limit: number): PageOf {
  const number = /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 1;
  return { number, limit, offset: (number - 1) * limit };
}
