import type { ComponentChildren } from 'preact';
import { Icon, LinkButton } from '../components/button';
import { Brand, Document, PageCard, ThemeSwitch } from '../components/document';
import { assetPath } from '../http/assets';
import { usePage } from '../http/page-context';
import { guides } from './guides';
import type { Section } from './reference.model';

/** The layout of every page of the documentation: all pages on one side, the contents of this page on the other. */
export function DocsFrame({
  title,
  help,
  sections,
  contents = [],
  children,
}: {
  title: string;
  help: string;
  sections: Section[];
  contents?: { id: string; title: string }[];
  children: ComponentChildren;
}) {
  const head = (
    <>
      <PageCard title={title} description={help} />
      <link rel="stylesheet" href={assetPath('docsStyles')} />
      <script defer src={assetPath('docsScript')}></script>
    </>
  );
  return (
    <Document title={title} class="docs" head={head}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="docs-top">
        <Brand href="/" />
        <Search />
        <nav class="site-links" aria-label="Main">
          <a href="/docs" aria-current={title === 'Documentation' ? 'page' : undefined}>
            Documentation
          </a>
          <LinkButton href="/dashboard" text="Dashboard" />
          <ThemeSwitch />
        </nav>
      </header>
      <div class="docs-body">
        <PageList sections={sections} />
        <main id="main" tabIndex={-1}>
          <header class="docs-head">
            <h1>{title}</h1>
            <p class="muted">{help}</p>
          </header>
          {children}
        </main>
        {contents.length > 1 && (
          <nav class="docs-contents" aria-label="On this page">
            <h2>On this page</h2>
            <ul>
              {contents.map((it) => (
                <li key={it.id}>
                  <a href={`#${it.id}`}>{it.title}</a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </Document>
  );
}

/** The search box for endpoints, parameters, errors and sections of guides. docs.js shows it: without scripts it stays hidden. */
function Search() {
  return (
    <search
      class="docs-search"
      data-search="/docs/search.json"
      data-script={assetPath('searchScript')}
      data-library={assetPath('searchLibrary')}
      hidden
    >
      <input
        class="input"
        role="combobox"
        aria-label="Search the documentation"
        aria-autocomplete="list"
        aria-controls="search-results"
        aria-expanded="false"
        aria-keyshortcuts="/ Control+K"
        placeholder="Search"
        autocomplete="off"
        spellcheck={false}
      />
      <kbd aria-hidden="true">/</kbd>
      <div id="search-results" role="listbox" aria-label="Results" hidden></div>
      <p class="sr-only" role="status"></p>
    </search>
  );
}

function PageList({ sections }: { sections: Section[] }) {
  const { path } = usePage();
  const here = path.split('?', 1)[0];
  const current = (href: string) => (href === here ? 'page' : undefined);
  const listOf = (forOperators: boolean) => (
    <ul>
      {guides()
        .filter(({ isForOperators }) => isForOperators === forOperators)
        .map(({ slug, title }) => (
          <li key={slug}>
            <a href={`/docs/guides/${slug}`} aria-current={current(`/docs/guides/${slug}`)}>
              {title}
            </a>
          </li>
        ))}
    </ul>
  );
  return (
    <nav aria-label="Documentation">
      {/* On a small screen the list opens on request; a wide one always shows it. */}
      <button
        type="button"
        class="docs-menu-button btn"
        data-variant="outline"
        popovertarget="docs-pages"
      >
        <Icon name="menu" /> All pages
      </button>
      <div class="docs-pages" id="docs-pages" popover>
        <h2>Guides</h2>
        {listOf(false)}
        <h2>Reference</h2>
        <ul>
          {sections.map(({ slug, name, entries }) => {
            const href = `/docs/reference/${slug}`;
            return (
              <li key={slug}>
                <a href={href} aria-current={current(href)}>
                  {name}
                </a>
                {href === here && (
                  <ul>
                    {entries.map(({ id, method, operation }) => (
                      <li key={id}>
                        <a href={`#${id}`}>
                          <Method method={method} /> {operation.summary}
                        </a>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            );
          })}
        </ul>
        <h2>Operations</h2>
        {listOf(true)}
      </div>
    </nav>
  );
}

export function Method({ method }: { method: string }) {
  return (
    <span class="method" data-method={method}>
      {method}
    </span>
  );
}
