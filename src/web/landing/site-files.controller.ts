import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Get, Header, Post } from '@nestjs/common';
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
import { setTheme } from '../http/cookies';
import { baseUrl } from '../http/page-context';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';

const TEXT = 'text/plain; charset=utf-8';
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
    const sitemap = `${baseUrl(request, this.config)}/sitemap.xml`;
    return new ConstantText(
      TEXT,
      `User-agent: *\nDisallow: /api\nDisallow: /dashboard\nAllow: /dashboard/assets\nAllow: /dashboard/sign-\n\nSitemap: ${sitemap}\n`,
    );
  }

  /** What assistants read first (llmstxt.org). */
  @Get('llms.txt')
  forAssistants(@Asked() { request }: PageRequest): PageResult {
    const base = baseUrl(request, this.config);
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
    return new ConstantText(TEXT, `${lines.join('\n\n')}\n`);
  }

  @Get('sitemap.xml')
  async sitemap(@Asked() { request }: PageRequest): Promise<PageResult> {
    const most = { limit: QUIZZES_IN_SITEMAP };
    const found = await this.quizzes.list(NOBODY, Object.assign(new ListQuizzesQuery(), most));
    const topics = await this.discovery.topics();
    const paths = [
      '/',
      '/play',
      '/docs',
      ...guides().map(({ slug }) => `/docs/guides/${slug}`),
      ...topics.filter(isInUse).map(({ slug }) => `/play?topic=${slug}`),
      ...(JSON.parse(found.quizzes.text) as { slug: string }[]).map(({ slug }) => `/play/${slug}`),
    ];
    // Slugs and our own paths have no characters that XML escapes; a Host header may have.
    const base = escapeUTF8(baseUrl(request, this.config));
    const urls = paths.map((path) => `<url><loc>${base}${path}</loc></url>`).join('\n');
    return new ConstantText(
      'application/xml; charset=utf-8',
      `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`,
    );
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

  /** The theme of every page, for this browser; then back to the page. */
  @Post('theme')
  theme(@Asked() { request, response, form }: PageRequest): PageResult {
    setTheme(response, this.config, form.text('theme'));
    const from = request.get('referer') ?? '';
    const { origin, pathname, search } = new URL(URL.canParse(from) ? from : 'http://none.invalid');
    const isOurs = origin === new URL(baseUrl(request, this.config)).origin;
    return redirect(isOurs ? pathname + search : '/');
  }

  /** For what does not read the icon from the page. */
  @Get('favicon.ico')
  favicon(): PageResult {
    return redirect(assetPath('icon'));
  }
}
