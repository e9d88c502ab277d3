import { randomBytes } from 'node:crypto';
import { escapeUTF8 } from 'entities';
import type { Config } from '../../platform/config/config';
import { isEmbedded } from '../../platform/http/path.rules';
import { previewToken } from '../../play/attempts/visitor.rules';
import type { PlayedAt } from '../../play/visitors/visitor-play.service';
import { isVisitorToken, readVisitor } from '../http/cookies';
import { languageInUrl } from '../http/language';
import type { PageRequest } from '../http/page-controller';

/** Where a page of the player is, and who plays there. */
export interface PlayerPlace {
  at: PlayedAt;
  /** Null for a browser that has not played anything yet. */
  token: string | null;
  /** The URL of the start page. */
  home: string;
  isPreview: boolean;
  /** In a page of another site, where browsers may block cookies: the token is in the URL (docs/adr/0011). */
  isEmbedded: boolean;
}

export const newVisitorToken = (): string => randomBytes(32).toString('base64url');

/**
 * The player's pages are the same for everybody: below /play for visitors, and below the dashboard for the preview of
 * one's own quiz. Only there does the browser send the session's cookie, so nobody but its owner gets there.
 */
export function placeOf(asked: PageRequest, config: Config): PlayerPlace {
  const slug = asked.request.params.slug;
  if (slug === undefined) {
    const { accountId, id } = asked;
    return {
      at: { previewOf: id, accountId },
      token: previewToken(accountId),
      home: `/dashboard/quizzes/${encodeURIComponent(id)}/preview`,
      isPreview: true,
      isEmbedded: false,
    };
  }
  const text = String(slug);
  if (isEmbedded(asked.request.path)) {
    // The mark hides it from the access log.
    const [, given = ''] = /^~([^.]*)/.exec(asked.param('player')) ?? [];
    const token = isVisitorToken(given) ? given : newVisitorToken();
    const language = languageInUrl(asked.request);
    const home = `/embed/${encodeURIComponent(text)}/~${token}${language ? `.${language}` : ''}`;
    return { at: { slug: text }, token, home, isPreview: false, isEmbedded: true };
  }
  return {
    at: { slug: text },
    token: readVisitor(asked.request, config),
    home: `/play/${encodeURIComponent(text)}`,
    isPreview: false,
    isEmbedded: false,
  };
}

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
