import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Get, Header } from '@nestjs/common';
import { escapeUTF8 } from 'entities';
import { NOBODY } from '../../access/accounts/scope.rules';
import { DiscoveryService, isInUse } from '../../catalog/discovery/discovery.service';
import { ListQuizzesQuery } from '../../catalog/quizzes/quizzes.dto';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { Config } from '../../platform/config/config';
import { NotFound } from '../../platform/errors/domain-errors';
import { ConstantText, GZIP_TYPE, JSON_TYPE } from '../../platform/http/server/text-response';
import { guides } from '../docs/guides';
import { assetPath } from '../http/assets';
import { baseUrl } from '../http/page-context';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';

const TEXT = 'text/plain; charset=utf-8';
const XML = 'application/xml; charset=utf-8';
/** The same path from src/ and from dist/. */
const CLIENT = join(__dirname, '../../../dist/clients/typescript.tgz');
/** The most played quizzes; the others are found through the catalogue's pages. */
const QUIZZES_IN_SITEMAP = 1_000;

/** Files that browsers and search engines ask for at fixed URLs. */
@OpenPages()
export class SiteFilesController {
  private licenceFile?: ConstantText;
  private clientFile?: ConstantText;

  constructor(
    private readonly quizzes: QuizzesService,
    private readonly discovery: DiscoveryService,
    private readonly config: Config,
  ) {}

  @Get('robots.txt')
  robots(@Asked() { request }: PageRequest): PageResult {
    return new ConstantText(TEXT, robotsText(baseUrl(request, this.config)));
  }

  /** What assistants read first (llmstxt.org). */
  @Get('llms.txt')
  forAssistants(@Asked() { request }: PageRequest): PageResult {
    return new ConstantText(TEXT, assistantsText(baseUrl(request, this.config)));
  }

  @Get('sitemap.xml')
  async sitemap(@Asked() { request }: PageRequest): Promise<PageResult> {
    const quizzes = await this.mostPlayed();
    const topics = await this.discovery.topics();
    const paths = [
      '/',
      '/play',
      '/docs',
      ...guides().map(({ slug }) => `/docs/guides/${slug}`),
      ...topics.filter(isInUse).map(({ slug }) => `/play?topic=${slug}`),
      ...quizzes.map(({ slug }) => `/play/${slug}`),
    ];
    return new ConstantText(XML, sitemapText(baseUrl(request, this.config), paths));
  }

  @Get('site.webmanifest')
  manifest(): PageResult {
    const icons = [{ src: assetPath('icon'), sizes: 'any', type: 'image/svg+xml' }];
    const site = { name: 'Quiz Question Service', short_name: 'Quizzes', start_url: '/play' };
    return new ConstantText(JSON_TYPE, JSON.stringify({ ...site, display: 'browser', icons }));
  }

  @Get('license.txt')
  licence(): PageResult {
    return (this.licenceFile ??= new ConstantText(
      TEXT,
      readFileSync(join(__dirname, '../../../LICENSE'), 'utf8'),
    ));
  }

  /** The typed client of this version, for `npm install`. The build packs it (scripts/pack-client.mjs). */
  @Get('clients/typescript.tgz')
  @Header('Cache-Control', 'public, max-age=60')
  client(): PageResult {
    if (!this.clientFile && !existsSync(CLIENT)) throw new NotFound('File');
    return (this.clientFile ??= new ConstantText(GZIP_TYPE, readFileSync(CLIENT)));
  }

  /** For what does not read the icon from the page. */
  @Get('favicon.ico')
  favicon(): PageResult {
    return redirect(assetPath('icon'));
  }

  private async mostPlayed(): Promise<{ slug: string }[]> {
    const most = { limit: QUIZZES_IN_SITEMAP };
    const found = await this.quizzes.list(NOBODY, Object.assign(new ListQuizzesQuery(), most));
    return JSON.parse(found.quizzes.text) as { slug: string }[];
  }
}

const robotsText = (base: string) => `User-agent: *
Disallow: /api
Disallow: /dashboard
Allow: /dashboard/assets
Allow: /dashboard/sign-

Sitemap: ${base}/sitemap.xml
`;

function assistantsText(base: string): string {
  const entry = (title: string, path: string, help: string) =>
    `- [${title}](${base}${path}): ${help}`;
  const lines = [
    '# Quiz Question Service',
    '> Quizzes and their questions over HTTP: search, play, write and review them.',
    `Assistants connect to ${base}/mcp (Model Context Protocol, Streamable HTTP) with an API key in the header \`Authorization: Bearer …\`. The owner of an account creates such a key at ${base}/dashboard/keys/assistant. What an assistant writes is a draft until its owner and a reviewer have approved it.`,
    '## Guides',
    guides()
      .map(({ slug, title, help }) => entry(title, `/docs/guides/${slug}`, help))
      .join('\n'),
    '## API',
    [
      entry('OpenAPI document', '/api/v1/openapi.json', 'Every endpoint, error and event.'),
      entry('Reference', '/docs', 'The same as pages, to try in the browser.'),
      entry('Categories', '/api/v1/categories', 'Topics and categories; no key is needed.'),
    ].join('\n'),
  ];
  return `${lines.join('\n\n')}\n`;
}

function sitemapText(base: string, paths: readonly string[]): string {
  // Slugs and our own paths have no characters that XML escapes; a Host header may have.
  const start = escapeUTF8(base);
  const urls = paths.map((path) => `<url><loc>${start}${path}</loc></url>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}
</urlset>
`;
}
