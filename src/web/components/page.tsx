import type { ComponentChildren } from 'preact';
import { DASHBOARD_LANGUAGES } from '../../platform/messages/languages';
import type { MessageKey } from '../../platform/messages/messages';
import { assetPath } from '../http/assets';
import type { Form } from '../http/form';
import { useMessages, usePage, type Waiting } from '../http/page-context';
import { inLanguage } from './author-text';
import { Icon, type IconName, LinkButton } from './button';
import { Brand, Document, FontPreload, LanguageSwitch, ThemeSwitch } from './document';
import { FormScope, PostForm } from './fields';

/** Where a nested page leads back to. */
export interface Back {
  href: string;
  label: string;
}

/** The top of a page: its title, one line of help, and at most one primary button. */
interface Head {
  title: string;
  /** Of the title, if an author wrote it; null: not said. */
  language?: string | null;
  help?: ComponentChildren;
  action?: ComponentChildren;
  back?: Back;
  head?: ComponentChildren;
}

interface PageProps extends Head {
  /** For a page with several small forms: the errors of the last one are shown above the page. */
  form?: Form;
  children: ComponentChildren;
}

export function Page({ title, language, help, action, back, head, form, children }: PageProps) {
  const { t } = useMessages();
  const { notice } = usePage();
  return (
    <Document
      title={title}
      class="app"
      head={
        <>
          <FontPreload />
          <link rel="stylesheet" href={assetPath('appStyles')} />
          <meta name="htmx-config" content={HTMX_CONFIG} />
          <script defer src={assetPath('htmx')}></script>
          {head}
        </>
      }
    >
      <a class="skip" href="#main">
        {t('page.skip')}
      </a>
      <SideBar />
      <main id="main" tabIndex={-1} data-offline={t('form.offline')}>
        {notice && (
          <p
            class="notice"
            role={notice.isRefusal ? 'alert' : 'status'}
            data-variant={notice.isRefusal ? 'bad' : undefined}
            tabIndex={-1}
          >
            <Icon name={notice.isRefusal ? 'warning' : 'check'} />
            <span>{notice.text}</span>
          </p>
        )}
        {back && (
          <a class="back" href={back.href}>
            <Icon name="back" /> {back.label}
          </a>
        )}
        <header class="head">
          <div>
            <h1 {...(language !== undefined && inLanguage(language))}>{title}</h1>
            {help && <p>{help}</p>}
          </div>
          {action && <div class="head-action">{action}</div>}
        </header>
        {form ? <FormScope form={form}>{children}</FormScope> : children}
      </main>
    </Document>
  );
}

const HTMX_CONFIG = JSON.stringify({
  includeIndicatorCSS: false,
  // An error page has nothing that would take the place of a part of a page: the part stays, and is asked for again.
  noSwap: [204, 304, '4xx', '5xx'],
  // What a reader has opened, or closed, stays so.
  morphIgnore: ['data-htmx-powered', 'open'],
});

/**
 * Attributes with which a script updates the part `id` of a page to a newer version. Elements that stay keep the focus:
 * an import is read again every second, while somebody is on its Cancel button.
 */
export const reloading = (id: string, from: string, trigger: string) => ({
  'hx-get': from,
  'hx-trigger': trigger,
  'hx-target': `#${id}`,
  'hx-select': `#${id}`,
  'hx-swap': 'outerMorph',
});

/**
 * The same for a list that a form filters: the latest choice counts, and not the response that arrives last.
 * @param failed what is said above the list when there is no response, or an error
 */
export const filtering = (id: string, from: string, trigger: string, failed: string) => ({
  ...reloading(id, from, trigger),
  'hx-sync': 'replace',
  'data-filter-failed': failed,
});

interface FormPageProps extends Head {
  back: Back;
  form: Form;
  action: string;
  /** On the button that posts it. */
  button: string;
  also?: ComponentChildren;
  class?: string;
  enctype?: 'multipart/form-data';
  children: ComponentChildren;
}

/** A page that is one form; Cancel leads back. */
export function FormPage({
  form,
  action,
  button,
  also,
  children,
  class: look,
  enctype,
  ...head
}: FormPageProps) {
  const { t } = useMessages();
  return (
    <Page {...head}>
      <PostForm form={form} action={action} class={look} enctype={enctype}>
        {children}
        <div class="buttons">
          <button class="btn">{button}</button>
          {also}
          <LinkButton look="ghost" href={head.back.href} text={t('do.cancel')} />
        </div>
      </PostForm>
    </Page>
  );
}

interface Entry {
  href: string;
  label: Extract<MessageKey, `nav.${string}`>;
  icon: IconName;
  /** The path of further pages of this entry. */
  also?: string;
  /** The number beside it. */
  waiting?: keyof Waiting;
  /** Only in the menu of who has used it, or is there. */
  isForDevelopers?: true;
}

/** The side bar. Add an entry for each new page. */
const OWN: Entry[] = [
  { href: '/dashboard', label: 'nav.home', icon: 'home' },
  { href: '/dashboard/quizzes', label: 'nav.quizzes', icon: 'quiz', also: '/dashboard/imports' },
  { href: '/dashboard/questions', label: 'nav.questions', icon: 'list' },
  { href: '/dashboard/keys', label: 'nav.keys', icon: 'key', isForDevelopers: true },
  { href: '/dashboard/webhooks', label: 'nav.webhooks', icon: 'webhook', isForDevelopers: true },
  { href: '/dashboard/notices', label: 'nav.notices', icon: 'bell', waiting: 'notices' },
  { href: '/dashboard/account', label: 'nav.account', icon: 'person' },
  { href: '/docs', label: 'nav.docs', icon: 'book' },
];
const ADMINISTRATION: Entry[] = [
  { href: '/dashboard/admin/review', label: 'nav.review', icon: 'review', waiting: 'review' },
  { href: '/dashboard/admin/quizzes', label: 'nav.allQuizzes', icon: 'shelf' },
  {
    href: '/dashboard/admin/topics',
    label: 'nav.topics',
    icon: 'topics',
    also: '/dashboard/admin/categories',
  },
  { href: '/dashboard/admin/accounts', label: 'nav.accounts', icon: 'people', waiting: 'accounts' },
  { href: '/dashboard/admin/audit', label: 'nav.audit', icon: 'list' },
  { href: '/dashboard/admin/queues', label: 'nav.queues', icon: 'layers' },
];

/** Whether a page belongs to an entry. The overview is the root of all others: only its own URL does. */
const isOf = ({ href, also }: Entry, path: string) =>
  [href, also].some(
    (at) => at && (path === at || (at !== '/dashboard' && path.startsWith(`${at}/`))),
  );

/** The page of the side bar to which a page belongs. */
export const sectionOf = (path: string): string | undefined =>
  [...OWN, ...ADMINISTRATION].find((entry) => isOf(entry, path))?.href;

function SideBar() {
  const { viewer, isPosted, path } = usePage();
  const { t } = useMessages();
  if (!viewer) return null;
  const isDeveloper = viewer.usesApi || /^\/dashboard\/(?:keys|webhooks)(?![^/?])/.test(path);
  return (
    <header class="side">
      <Brand href="/dashboard" />
      {/* On a small screen the menu opens on request; a wide one always shows it. */}
      <button type="button" class="menu-button" popovertarget="menu" aria-label={t('nav.menu')}>
        <Icon name="menu" />
      </button>
      <div class="side-body" id="menu" popover>
        <nav aria-label={t('nav.dashboard')}>
          <Entries entries={OWN.filter((it) => isDeveloper || !it.isForDevelopers)} />
          {viewer.isAdmin && <Entries title={t('nav.administration')} entries={ADMINISTRATION} />}
        </nav>
        <div class="who">
          <span class="who-email" title={viewer.email}>
            {viewer.email}
          </span>
          <form method="post" action="/dashboard/sign-out">
            <button class="btn" data-variant="ghost" data-size="sm">
              {t('nav.signOut')}
            </button>
          </form>
          {!isPosted && (
            <>
              <LanguageSwitch languages={DASHBOARD_LANGUAGES} />
              <ThemeSwitch />
            </>
          )}
        </div>
      </div>
    </header>
  );
}

function Entries({ title, entries }: { title?: string; entries: Entry[] }) {
  const { number, t } = useMessages();
  const { path, waiting } = usePage();
  const countOf = (page?: keyof Waiting) => (page && waiting ? waiting[page] : 0);
  const here = path.split('?', 1)[0] ?? '';
  return (
    <section>
      {title && <h2>{title}</h2>}
      <ul>
        {entries.map((entry) => (
          <li>
            <a href={entry.href} aria-current={isOf(entry, here) ? 'page' : undefined}>
              <Icon name={entry.icon} />
              {t(entry.label)}
              {countOf(entry.waiting) > 0 && (
                <span class="waiting">
                  {number(countOf(entry.waiting))}{' '}
                  <span class="sr-only">{t(title ? 'nav.waiting' : 'nav.unread')}</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
