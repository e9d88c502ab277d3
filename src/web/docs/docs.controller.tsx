import { Get, Header, Param } from '@nestjs/common';
import { NotFound } from '../../platform/errors/domain-errors';
import { ConstantText, JSON_TYPE } from '../../platform/http/server/text-response';
import { ApiDocument } from '../../platform/openapi/document/api-document';
import { Link } from '../components/format';
import { Tile } from '../components/section';
import { usePage } from '../http/page-context';
import { OpenPages } from '../http/page-controller';
import { ConstantPage, type PageResult } from '../http/page-results';
import { Code, Json, Text } from './code';
import { renderEntries } from './entry';
import { DocsFrame } from './frame';
import { type Guide, guides, readVectors, VECTORS } from './guides';
import { mediaOf, Reference, type Section, statusTitle } from './reference.model';
import { searchIndex } from './search';

/** The documentation, open to everybody: guides from docs/, and the reference from the OpenAPI document. */
@OpenPages('docs')
export class DocsController {
  private made?: Reference;
  private vectorsFile?: ConstantText;
  private index?: Promise<ConstantText>;
  private readonly rendered = new Map<Section, Promise<string>>();

  constructor(private readonly api: ApiDocument) {}

  @Get()
  overview(): PageResult {
    return new ConstantPage(() => <OverviewPage reference={this.reference} />);
  }

  @Get('guides/:slug')
  guide(@Param('slug') slug: string): PageResult {
    const guide = guides().find((it) => it.slug === slug);
    if (!guide) throw new NotFound('Guide');
    return new ConstantPage(() => <GuidePage guide={guide} reference={this.reference} />);
  }

  @Get('reference/:slug')
  async section(@Param('slug') slug: string): Promise<PageResult> {
    const { sections } = this.reference;
    const section = sections.find((it) => it.slug === slug);
    if (!section) throw new NotFound('Page');
    const html = await this.entriesOf(section);
    return new ConstantPage(() => (
      <DocsFrame title={section.name} help={section.description} sections={sections}>
        <div dangerouslySetInnerHTML={{ __html: html }} />
      </DocsFrame>
    ));
  }

  /** The file of test vectors that the guides link to. */
  @Get(VECTORS)
  @Header('Cache-Control', 'public, max-age=60')
  vectors(): ConstantText {
    return (this.vectorsFile ??= new ConstantText(JSON_TYPE, readVectors()));
  }

  @Get('search.json')
  @Header('Cache-Control', 'public, max-age=60')
  search(): Promise<ConstantText> {
    if (!this.index) {
      this.index = searchIndex(this.reference).then((json) => new ConstantText(JSON_TYPE, json));
      // After a failure, the next request makes it.
      this.index.catch(() => (this.index = undefined));
    }
    return this.index;
  }

  /** Rendered once, however many clients wait for it. */
  private entriesOf(section: Section): Promise<string> {
    let html = this.rendered.get(section);
    if (!html) {
      html = renderEntries(section.entries);
      this.rendered.set(section, html);
      html.catch(() => this.rendered.delete(section));
    }
    return html;
  }

  private get reference(): Reference {
    return (this.made ??= new Reference(this.api.document));
  }
}

function OverviewPage({ reference: { sections, entries } }: { reference: Reference }) {
  const metadata = entries.find(({ path }) => path === '/api/v1/metadata');
  const { baseUrl } = usePage();
  const tilesOf = (forOperators: boolean) => (
    <ul class="tiles">
      {guides()
        .filter(({ isForOperators }) => isForOperators === forOperators)
        .map(({ slug, title, help }) => (
          <Tile href={`/docs/guides/${slug}`} title={title} text={help} />
        ))}
    </ul>
  );
  return (
    <DocsFrame
      title="Documentation"
      help="Guides, and a reference you can try in the browser."
      sections={sections}
    >
      <section>
        <h2>The first request</h2>
        <p>Categories and tags need no API key. Paste this into a terminal:</p>
        <Code code={`curl -s ${baseUrl}/api/v1/metadata`} language="sh" label="Request" />
        <Json
          value={mediaOf(metadata?.operation.responses['200']?.content)?.media.example}
          label="Response (shortened: an example of categories and tags)"
        />
        <p>
          Then go on with the <Link to="/docs/guides/quickstart">Quickstart</Link>.
        </p>
      </section>
      <section>
        <h2>Guides</h2>
        {tilesOf(false)}
      </section>
      <section>
        <h2>Reference</h2>
        <ul class="tiles">
          {sections.map(({ slug, name, description }) => (
            <Tile href={`/docs/reference/${slug}`} title={name} text={description} />
          ))}
        </ul>
        <p id="openapi">
          Postman, Insomnia and code generators import the OpenAPI 3.1 document:{' '}
          <Link to="/api/v1/openapi.json">JSON</Link> or <Link to="/api/v1/openapi.yaml">YAML</Link>
          .
        </p>
      </section>
      <section>
        <h2>Operations</h2>
        {tilesOf(true)}
      </section>
    </DocsFrame>
  );
}

/** A guide. The one about errors also lists every error of the reference, by status. */
function GuidePage({ guide, reference }: { guide: Guide; reference: Reference }) {
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
      <div class="prose" dangerouslySetInnerHTML={{ __html: guide.html }} />
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

function Errors({ status, reference }: { status: number; reference: Reference }) {
  const all = reference.entries.filter(({ path }) => path.startsWith('/api/v1/')).length;
  return reference.errors
    .filter((error) => error.status === status)
    .map(({ name, variants }) => (
      <article key={name} id={name} class="error-entry">
        {variants.map(({ title, fix, body, entries }) => (
          <>
            <h3>
              <a href={`#${name}`}>{title}</a>
            </h3>
            <Json value={body} label="Body" />
            <p>
              <strong>What to do.</strong> <Text of={fix} />
            </p>
            <p class="muted">
              {entries.length >= all
                ? 'Every endpoint below /api/v1 can respond with this error.'
                : entries.map(({ href, operation }, index) => (
                    <>
                      {index > 0 && ', '}
                      <Link to={href}>{operation.summary}</Link>
                    </>
                  ))}
            </p>
          </>
        ))}
      </article>
    ));
}
