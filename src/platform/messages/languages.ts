/** The languages of pages for everybody and of e-mails, by the name that their speakers give them. */
export const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  it: 'Italiano',
  pl: 'Polski',
  ar: 'العربية',
} as const;

/** An interface language: the primary subtag of BCP 47. */
export type Language = keyof typeof LANGUAGE_NAMES;

export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as Language[];

/** The languages of the dashboard. */
export const DASHBOARD_LANGUAGES = ['en', 'de'] as const satisfies Language[];

export const isLanguage = (text: unknown): text is Language =>
  typeof text === 'string' && Object.hasOwn(LANGUAGE_NAMES, text);
