import type { Request, Response } from 'express';
import type { Config } from '../../platform/config/config';
import { isLanguage, type Language, LANGUAGES } from '../../platform/messages/languages';
import { type Messages, messagesIn } from '../../platform/messages/messages';
import { languageCookie } from './cookies';

/** The pages that are in English only. */
const ENGLISH = /^\/(?:docs|dashboard(?!\/(?:sign-|set-up|quizzes\/[^/]+\/preview)))(?=\/|$)/i;

/** In a page of another site, where no cookie is sent, it is in the URL behind the player's token (place.ts). */
const EMBEDDED = /^\/embed\/[^/]+\/~[\w-]+\.([a-z]{2})(?=\/|$)/;

/** The language that the URL names. */
export function languageInUrl({ query, path }: Request): Language | null {
  const [, embedded] = EMBEDDED.exec(path) ?? [];
  return [query.lang, embedded].find(isLanguage) ?? null;
}

/**
 * The language of the page that responds to a request: the one that its URL names, or that of an earlier page; otherwise
 * the first that the browser asks for.
 */
function languageOf(request: Request, config: Config): Language {
  if (ENGLISH.test(request.path)) return 'en';
  const inUrl = languageInUrl(request);
  const all = [inUrl, languageCookie.read(request, config), request.acceptsLanguages(LANGUAGES)];
  return all.find(isLanguage) ?? 'en';
}

/** The sentences of that page. A language that the URL names stays for the links and forms of the page. */
export function pageMessages(request: Request, response: Response, config: Config): Messages {
  const name = languageInUrl(request);
  if (name && !/^\/embed\//.test(request.path) && languageCookie.read(request, config) !== name)
    languageCookie.set(response, config, name);
  return messagesIn(languageOf(request, config));
}
