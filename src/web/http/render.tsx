import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { PageContextProvider, type PageContext } from './page-context';

/** A page as text. Whatever is put into it as text or attribute is escaped. */
export function renderPage(page: VNode, context: PageContext): string {
  return `<!doctype html>\n${renderToString(
    <PageContextProvider value={context}>{page}</PageContextProvider>,
  )}\n`;
}
