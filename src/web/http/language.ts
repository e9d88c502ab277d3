import type { Request, Response } from 'express';
import type { Config } from '../../platform/config/config';
import { isEmbedded } from '../../platform/http/path.rules';
import {
  DASHBOARD_LANGUAGES,
  isLanguage,
  type Language,
  LANGUAGES,
} from '../../platform/messages/languages';
import { type Messages, messagesIn } from '../../platform/messages/messages';
import { languageCookie } from './cookies';

/** The documentation is in English only. */
const ENGLISH = /^\/docs(?=\/|$)/i;

/** Signing in and a preview are as the pages for everybody. */
const DASHBOARD = /^\/dashboard(?!\/(?:sign-|set-up|quizzes\/[^/]+\/preview))(?=\/|$)/i;

/** In a page of another site, where no cookie is sent, it is in the URL behind the player's token (place.ts). */
const EMBEDDED = /^\/embed\/[^/]+\/~[\w-]+\.([a-z]{2})(?=\/|$)/i;

/** The language that the URL names. */
export function languageInUrl({ query, path }: Request): Language | null {
  const [, embedded] = EMBEDDED.exec(path) ?? [];
  return [query.lang, embedded].find(isLanguage) ?? null;
}

/** Whether the page is in the languages of the dashboard, and may use its sentences. */
export const isInDashboard = ({ path }: Request): boolean => DASHBOARD.test(path);

/** The languages that the page has. */
function languagesOf(request: Request): readonly Language[] {
  if (ENGLISH.test(request.path)) return ['en'];
  return isInDashboard(request) ? DASHBOARD_LANGUAGES : LANGUAGES;
}

/**
 * The language of the page that responds to a request: the one that its URL names, or that of an earlier page; otherwise
 * the first that the browser asks for.
 */
function languageOf(request: Request, config: Config, languages: readonly Language[]): Language {
  const wanted = [
    languageInUrl(request),
    languageCookie.read(request, config),
    request.acceptsLanguages([...languages]),
  ];
  return wanted.find((it): it is Language => languages.some((has) => has === it)) ?? 'en';
}

/** The language that the reader asks for, whether or not the page has it: e-mails have all of them. */
export const readerLanguage = (request: Request, config: Config): Language =>
  languageOf(request, config, LANGUAGES);

/** The messages of the page that responds. A language that the URL names is kept in a cookie, also for later pages. */
export function pageMessages(request: Request, response: Response, config: Config): Messages {
  const name = languageInUrl(request);
  if (name && !isEmbedded(request.path) && languageCookie.read(request, config) !== name)
    languageCookie.set(response, config, name);
  return messagesIn(languageOf(request, config, languagesOf(request)));
}
