import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import type { Request } from 'express';
import { renderToString } from 'preact-render-to-string';
import type { Config } from '../../platform/config/config';
import type { SignedIn } from '../../access/sessions/sessions.service';

/** Who looks at the page: the account that is signed in. */
export type Viewer = SignedIn;

declare module 'express-serve-static-core' {
  interface Request {
    /** Set for every request below /dashboard that carries the cookie of a session. */
    viewer?: Viewer;
  }
}

/** What every component may know without being told by its parent. */
export interface PageContext {
  viewer: Viewer | null;
  /** Of this request, with its query. */
  path: string;
  /** Where the API is for those who look, `https://quiz.example.com`. */
  baseUrl: string;
  now: Date;
  /** What the last act has done. */
  notice: string | null;
}

const Context = createContext<PageContext | null>(null);

export function usePage(): PageContext {
  const page = useContext(Context);
  if (!page) throw new Error('Pages are rendered by renderPage().');
  return page;
}

/** The address of the service as whoever asks sees it: PUBLIC_URL, or the one that was asked. */
export function baseUrl(request: Request, config: Config): string {
  if (config.publicUrlGiven) return config.publicUrl;
  return request.headers.host ? `${request.protocol}://${request.headers.host}` : config.publicUrl;
}

/** A page as text. Whatever is put into it as text or attribute is escaped. */
export function renderPage(page: VNode, context: PageContext): string {
  return `<!doctype html>\n${renderToString(
    <Context.Provider value={context}>{page}</Context.Provider>,
  )}\n`;
}
