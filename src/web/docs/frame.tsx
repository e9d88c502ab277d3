import type { ComponentChildren } from 'preact';
import { Brand, Document } from '../components/document';
import { Icon } from '../components/icon';
import { assetPath } from '../http/assets';
import { usePage } from '../http/page-context';
import { GUIDES } from './guides';
import type { Section } from './reference.model';

/** The frame of every page of the documentation: the way around at the side, what this page holds at the other. */
export function DocsFrame({
  title,
  help,
  sections,
  contents = [],
  wide = false,
  children,
}: {
  title: string;
  help: string;
  sections: Section[];
  /** Of this page. */
  contents?: { id: string; title: string }[];
  /** Two columns of text and code instead of one and the contents. */
  wide?: boolean;
  children: ComponentChildren;
}) {
  return (
    <Document
      title={title}
      class="docs"
      head={
        <>
          <meta name="description" content={help} />
          <link rel="stylesheet" href={assetPath('docsStyles')} />
          <script defer src={assetPath('docsScript')}></script>
        </>
      }
    >
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="docs-top">
        <Brand href="/" />
        <nav aria-label="Main">
          <a href="/docs" aria-current={title === 'Documentation' ? 'page' : undefined}>
            Documentation
          </a>
          <a class="docs-openapi" href="/api/v1/openapi.json">
            OpenAPI
          </a>
          <a class="btn" data-variant="outline" data-size="sm" href="/dashboard">
            Dashboard
          </a>
        </nav>
      </header>
      <div class={wide ? 'docs-body wide' : 'docs-body'}>
        <WayAround sections={sections} />
        <main id="main" tabIndex={-1}>
          <header class="docs-head">
            <h1>{title}</h1>
            <p>{help}</p>
          </header>
          {children}
        </main>
        {!wide && contents.length > 1 && (
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

function WayAround({ sections }: { sections: Section[] }) {
  const { path } = usePage();
  const here = path.split('?', 1)[0];
  const current = (href: string) => (href === here ? 'page' : undefined);
  return (
    <nav class="docs-side" aria-label="Documentation">
      {/* Without a script the small screen's menu opens by itself. */}
      <input type="checkbox" id="docs-menu" class="menu-switch" aria-label="Show all pages" />
      <label class="docs-menu-button" for="docs-menu">
        <Icon name="menu" /> All pages
      </label>
      <div class="docs-pages">
        <h2>Guides</h2>
        <ul>
          {GUIDES.map(({ slug, title }) => (
            <li key={slug}>
              <a href={`/docs/guides/${slug}`} aria-current={current(`/docs/guides/${slug}`)}>
                {title}
              </a>
            </li>
          ))}
        </ul>
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
