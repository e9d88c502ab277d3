import { usePage } from '../http/page-context';
import { Code, Text } from './code';
import { EntryView } from './entry';
import { DocsFrame } from './frame';
import { GUIDES, type Guide } from './guides';
import { htmlFor } from './markdown';
import type { Reference, Section } from './reference.model';

/** The door of the documentation. */
export function OverviewPage({ reference }: { reference: Reference }) {
  const { baseUrl } = usePage();
  return (
    <DocsFrame
      title="Documentation"
      help="Guides, and a reference you can try in the browser."
      sections={reference.sections}
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
          {GUIDES.map(({ slug, title, help }) => (
            <li key={slug}>
              <a href={`/docs/guides/${slug}`}>
                <strong>{title}</strong>
                <span>{help}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>Reference</h2>
        <ul class="cards">
          {reference.sections.map(({ slug, name, description }) => (
            <li key={slug}>
              <a href={`/docs/reference/${slug}`}>
                <strong>{name}</strong>
                <span>{description}</span>
              </a>
            </li>
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

export function GuidePage({ guide, reference }: { guide: Guide; reference: Reference }) {
  const { baseUrl } = usePage();
  const errors = guide.slug === 'errors';
  return (
    <DocsFrame
      title={guide.title}
      help={guide.help}
      sections={reference.sections}
      contents={errors ? [...guide.headings, ...statusHeadings(reference)] : guide.headings}
    >
      {/* Our own text, from docs/. */}
      <div class="prose" dangerouslySetInnerHTML={{ __html: htmlFor(guide, baseUrl) }} />
      {errors && <Errors reference={reference} />}
    </DocsFrame>
  );
}

export function SectionPage({ section, reference }: { section: Section; reference: Reference }) {
  return (
    <DocsFrame title={section.name} help={section.description} sections={reference.sections} wide>
      {section.entries.map((entry) => (
        <EntryView key={entry.id} entry={entry} reference={reference} />
      ))}
    </DocsFrame>
  );
}

const WORDS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const statusTitle = (status: number) => `${status} ${WORDS[status] ?? ''}`.trim();

function statusHeadings(reference: Reference) {
  const statuses = new Set(reference.errors().map(({ status }) => status));
  return [...statuses].map((status) => ({ id: `status-${status}`, title: statusTitle(status) }));
}

/** One entry for each situation, by status. */
function Errors({ reference }: { reference: Reference }) {
  const errors = reference.errors();
  const all = reference.sections
    .flatMap(({ entries }) => entries)
    .filter(({ kind, path }) => kind === 'endpoint' && path.startsWith('/api/v1/')).length;
  return (
    <div class="errors">
      {[...new Set(errors.map(({ status }) => status))].map((status) => (
        <section key={status} aria-labelledby={`status-${status}`}>
          <h2 id={`status-${status}`}>{statusTitle(status)}</h2>
          {errors
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
                  {entries.length >= all ? (
                    'Every endpoint may answer this.'
                  ) : (
                    <>
                      At{' '}
                      {entries.map((entry, index) => (
                        <>
                          {index > 0 && ', '}
                          <a class="link" href={reference.pathTo(entry)}>
                            {entry.operation.summary}
                          </a>
                        </>
                      ))}
                    </>
                  )}
                </p>
              </article>
            ))}
        </section>
      ))}
    </div>
  );
}
