import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Viewer } from './viewer';

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

export const PageContextProvider = Context.Provider;

export function usePage(): PageContext {
  const page = useContext(Context);
  if (!page) throw new Error('Pages are rendered by renderPage().');
  return page;
}
