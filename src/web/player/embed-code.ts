import { escapeUTF8 } from 'entities';

/** The HTML that shows a quiz in a page of another site. */
export function embedCode(
  base: string,
  { slug, title }: { slug: string; title: string },
  { width, height }: { width: string | number; height: number } = { width: '100%', height: 720 },
) {
  const name = escapeUTF8(title);
  const url = `${base}/play/${slug}`;
  return {
    /** Without the script the link is left. */
    element: `<script async src="${base}/embed.js"></script>\n<quiz-player src="${url}">\n  <a href="${url}">${name}</a></quiz-player>`,
    frame: `<iframe src="${base}/embed/${slug}" title="${name}" width="${width}" height="${height}" style="border: 0"></iframe>`,
  };
}
