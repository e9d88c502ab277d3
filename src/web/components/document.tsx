import type { ComponentChildren } from 'preact';
import { type Language, LANGUAGE_NAMES, LANGUAGES } from '../../platform/messages/languages';
import { directionOf } from '../../platform/text/language.rules';
import { assetPath } from '../http/assets';
import { THEMES } from '../http/cookies';
import { useMessages, usePage } from '../http/page-context';
import { nextPath } from '../http/page-security';
import { Icon } from './button';
import { parametersOf, withParameter } from './format';

/** The HTML around every page. */
export function Document({
  title,
  class: className,
  head,
  children,
}: {
  title: string;
  class?: string;
  /** Further elements of the head: an asset that only these pages use. */
  head?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { theme, isRefused, notice, messages } = usePage();
  const { language, t } = messages;
  // What a person who sees the page notices first is what a screen reader reads first.
  const said = isRefused ? t('page.error', { title }) : notice ? `${notice.text} ${title}` : title;
  return (
    <html
      lang={language}
      dir={directionOf(language)}
      data-theme={theme === 'system' ? undefined : theme}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme === 'system' ? 'light dark' : theme} />
        <title>{`${said} · Quiz Question Service`}</title>
        <link rel="icon" href={assetPath('icon')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath(BASECOAT[theme])} />
        <link rel="stylesheet" href={assetPath('styles')} />
        <script defer src={assetPath('script')}></script>
        {head}
      </head>
      <body class={className}>{children}</body>
    </html>
  );
}

/** For search engines, and for the card where the URL of a public page is shared. */
export function PageCard({
  title,
  description,
  image = assetPath('social'),
}: {
  title: string;
  description: string;
  /** The path of a PNG of 1200 × 630. */
  image?: string;
}) {
  const { baseUrl } = usePage();
  return (
    <>
      <meta name="description" content={description} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:image" content={baseUrl + image} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** Not in the player's pages: on a slow phone the font would delay the styles, and so the first question. */
export const FontPreload = () => (
  <link
    rel="preload"
    as="font"
    type="font/woff2"
    href={assetPath('fontLatin')}
    crossorigin="anonymous"
  />
);

const BASECOAT = { system: 'basecoat', light: 'basecoatLight', dark: 'basecoatDark' } as const;

/** The same page in every language, for search engines. @param path with the query that its content depends on */
export function Alternates({ path }: { path: string }) {
  const { baseUrl } = usePage();
  return (
    <>
      {LANGUAGES.map((language) => (
        <link
          rel="alternate"
          hreflang={language}
          href={baseUrl + withParameter(path, 'lang', language)}
        />
      ))}
      <link rel="alternate" hreflang="x-default" href={baseUrl + path} />
    </>
  );
}

/** Links to the same page in the other languages. */
export function LanguageSwitch({ languages = LANGUAGES }: { languages?: readonly Language[] }) {
  const { messages, path } = usePage();
  const parameters = parametersOf(path);
  const hrefOf = (language: string) => {
    parameters.set('lang', language);
    const next = parameters.get('next');
    // Never the page of another site.
    if (next !== null) parameters.set('next', nextPath(next));
    return `?${parameters.toString()}`;
  };
  return (
    <details class="language-switch">
      <summary class="btn" data-variant="ghost" data-size="sm">
        <Icon name="globe" />
        <span class="sr-only">{messages.t('page.language')}: </span>
        {LANGUAGE_NAMES[messages.language]}
      </summary>
      <ul>
        {languages.map((language) => (
          <li>
            <a
              href={hrefOf(language)}
              lang={language}
              aria-current={language === messages.language ? 'true' : undefined}
            >
              {LANGUAGE_NAMES[language]}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Goes on to the next theme. */
export function ThemeSwitch() {
  const { theme } = usePage();
  const { t } = useMessages();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  return (
    <form method="post" action="/theme" class="theme">
      <button class="btn" data-variant="ghost" data-size="sm" name="theme" value={next}>
        <Icon name="theme" />
        <span>{t('page.theme', { theme })}</span>
      </button>
    </form>
  );
}

export function Brand({ href }: { href: string }) {
  return (
    <a class="brand" href={href}>
      <img src={assetPath('icon')} alt="" width="24" height="24" />
      <span>Quiz Question Service</span>
    </a>
  );
}

/** A page without the side bar: signing in, and errors. */
export function Plain({
  title,
  help,
  isError = false,
  children,
}: {
  title: string;
  help?: ComponentChildren;
  /** There may be no page at its URL, so it links to none in other languages. */
  isError?: boolean;
  children: ComponentChildren;
}) {
  const { t } = useMessages();
  const { isPosted } = usePage();
  return (
    <Document
      title={title}
      class="plain"
      head={<meta name="description" content={t('plain.description', { title })} />}
    >
      <header>
        <Brand href="/" />
        {!isError && !isPosted && <LanguageSwitch />}
        {!isPosted && <ThemeSwitch />}
      </header>
      <main data-offline={t('form.offline')}>
        <div class="plain-card">
          <h1>{title}</h1>
          {help && <p class="muted">{help}</p>}
          {children}
        </div>
      </main>
    </Document>
  );
}
