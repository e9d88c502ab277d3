import { STATUS_CODES } from 'node:http';
import { usePage } from '../http/page-context';
import { Code, Text } from './code';
import { EntryView } from './entry';
import { DocsFrame } from './frame';
import { guides, type Guide } from './guides';
import { htmlFor } from './markdown';
import type { Reference, Section } from './reference.model';

export function OverviewPage({ reference: { sections } }: { reference: Reference }) {
  const { baseUrl } = usePage();
  return (
    <DocsFrame
      title="Documentation"
      help="Guides, and a reference you can try in the browser."
      sections={sections}
    >
      <section>
        <h2>The first request</h2>
        <p>You can browse the catalogue without an API key. Paste this into a terminal:</p>
        <Code code={`curl -s ${baseUrl}/api/v1/metadata`} language="sh" label="Request" />
        <p>
          Then go on with the{' '}
          <a class="link" href="/docs/guides/quickstart">
            Quickstart
          </a>
          .
        </p>
      </section>
      <section>
        <h2>Guides</h2>
        <ul class="cards">
          {guides().map(({ slug, title, help }) => (
            <Card key={slug} href={`/docs/guides/${slug}`} title={title} text={help} />
          ))}
        </ul>
      </section>
      <section>
        <h2>Reference</h2>
        <ul class="cards">
          {sections.map(({ slug, name, description }) => (
            <Card key={slug} href={`/docs/reference/${slug}`} title={name} text={description} />
          ))}
        </ul>
        <p>
          For code generators and API clients there is an OpenAPI 3.1 document, as{' '}
          <a class="link" href="/api/v1/openapi.json">
            JSON
          </a>{' '}
          and as{' '}
          <a class="link" href="/api/v1/openapi.yaml">
            YAML
          </a>
          .
        </p>
      </section>
    </DocsFrame>
  );
}

function Card({ href, title, text }: { href: string; title: string; text: string }) {
  return (
    <li>
      <a href={href}>
        <strong>{title}</strong>
        <small class="muted">{text}</small>
      </a>
    </li>
  );
}

export function GuidePage({ guide, reference }: { guide: Guide; reference: Reference }) {
  const { baseUrl } = usePage();
  const isErrors = guide.slug === 'errors';
  const statuses = [...new Set(isErrors ? reference.errors.map(({ status }) => status) : [])];
  return (
    <DocsFrame
      title={guide.title}
      help={guide.help}
      sections={reference.sections}
      contents={[
        ...guide.headings.filter(({ depth }) => depth === 2),
        ...statuses.map((status) => ({ id: `status-${status}`, title: statusTitle(status) })),
      ]}
    >
      {/* Our own text, from docs/. */}
      <div class="prose" dangerouslySetInnerHTML={{ __html: htmlFor(guide, baseUrl) }} />
      {isErrors && (
        <div class="errors">
          {statuses.map((status) => (
            <section key={status} aria-labelledby={`status-${status}`}>
              <h2 id={`status-${status}`}>{statusTitle(status)}</h2>
              <Errors status={status} reference={reference} />
            </section>
          ))}
        </div>
      )}
    </DocsFrame>
  );
}

export function SectionPage({ section, reference }: { section: Section; reference: Reference }) {
  return (
    <DocsFrame title={section.name} help={section.description} sections={reference.sections}>
      {section.entries.map((entry) => (
        <EntryView key={entry.id} entry={entry} />
      ))}
    </DocsFrame>
  );
}

const statusTitle = (status: number) => `${status} ${STATUS_CODES[status]}`;

function Errors({ status, reference }: { status: number; reference: Reference }) {
  const all = reference.entries.filter(({ path }) => path.startsWith('/api/v1/')).length;
  return (
    <>
      {reference.errors
        .filter((error) => error.status === status)
        .map(({ name, title, fix, body, entries }) => (
          <article key={name} id={name} class="error-entry">
            <h3>
              <a href={`#${name}`}>{title}</a>
            </h3>
            <Code code={JSON.stringify(body, null, 2)} language="json" label="Body" />
            <p>
              <strong>What to do.</strong> <Text of={fix} />
            </p>
            <p class="muted">
              {entries.length >= all
                ? 'Every endpoint can respond with this error.'
                : entries.map(({ id, href, operation }, index) => (
                    <>
                      {index > 0 && ', '}
                      <a key={id} class="link" href={href}>
                        {operation.summary}
                      </a>
                    </>
                  ))}
            </p>
          </article>
        ))}
    </>
  );
}
