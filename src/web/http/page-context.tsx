import type { Request } from 'express';
import { createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { renderToString } from 'preact-render-to-string';
import { mayWrite } from '../../access/accounts/plan.rules';
import type { FlashMessage, SignedIn } from '../../access/sessions/sessions.dto';
import type { Config } from '../../platform/config/config';
import { type Messages, messagesIn } from '../../platform/messages/messages';
import type { Theme } from './cookies';

/** The viewer of the page: the account that is signed in. */
export type Viewer = SignedIn;

declare module 'express-serve-static-core' {
  interface Request {
    /** Set for every request below /dashboard with a session's cookie. */
    viewer?: Viewer;
    /** Set for every request of a page. */
    messages?: Messages;
  }
}

/** What every component can use without getting it from its parent. */
export interface PageContext {
  viewer: Viewer | null;
  /** Of this request, with its query. */
  path: string;
  /** The API's URL for the viewer, `https://quiz.example.com`. */
  baseUrl: string;
  now: Date;
  theme: Theme;
  /** The sentences of the page's language. */
  messages: Messages;
  /** It shows a form that was refused. */
  isRefused?: boolean;
  /** It responds to a form: at its URL there may be no page to link to. */
  isPosted?: boolean;
  /** The result of the last action. */
  notice: FlashMessage | null;
  waiting?: Waiting;
}

/** How much waits for the viewer on these pages: the number beside their entry of the side bar. */
export interface Waiting {
  notices: number;
  review: number;
  accounts: number;
}

const Context = createContext<PageContext | null>(null);

export function usePage(): PageContext {
  const page = useContext(Context);
  if (!page) throw new Error('Pages are rendered by renderPage().');
  return page;
}

/** Whether the viewer's plan lets them publish and import. */
export function useMayWrite(): boolean {
  const { viewer } = usePage();
  return viewer !== null && mayWrite(viewer);
}

/** The sentences of the page's language. Guides are rendered before there is a page: they are in English. */
export const useMessages = (): Messages => useContext(Context)?.messages ?? messagesIn('en');

/** Stands for the service's URL in pages that are rendered once for everybody. */
export const ORIGIN = 'http://origin.invalid';

/** A name of the DNS has 253 characters; a page repeats its host up to a hundred times. */
const LONGEST_HOST = 260;

/** The service's URL for the client: PUBLIC_URL, or the one that was requested. */
export function baseUrl(request: Request, { publicUrl, publicUrlGiven }: Config): string {
  const { host } = request.headers;
  if (publicUrlGiven || !host || host.length > LONGEST_HOST) return publicUrl;
  return `${request.protocol}://${host}`;
}

/** A page as text. All text and attributes are escaped. */
export function renderPage(page: VNode, context: PageContext): string {
  return `<!doctype html>\n${renderToString(
    <Context.Provider value={context}>{page}</Context.Provider>,
  )}\n`;
}
