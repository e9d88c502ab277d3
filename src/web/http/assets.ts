import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { NextFunction, Request, Response } from 'express';
import { ASSETS_AT } from '../../platform/http/path.rules';
import { ConstantText, type Encoding, encodingFor } from '../../platform/http/server/text-response';
import { LANGUAGES } from '../../platform/messages/languages';
import { messagesIn } from '../../platform/messages/messages';

interface Asset {
  path: string;
  content: ConstantText;
}

/** Smaller than 9 and in half of its time, because that prepares large tables for each file; 11 is 2 % smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/** Outside the event loop, and not at the start: all files take half a second. */
const compress = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br' ? promisify(brotliCompress)(bytes, BROTLI) : promisify(gzip)(bytes);

const PACKAGES = join(__dirname, '../../../node_modules');
const own = (name: string) => readFileSync(join(__dirname, '../assets', name));
/** Without comments and indentation: a fifth of the compressed bytes. */
const compact = (css: string) =>
  css
    .split('/*')
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
const together = (...names: string[]) =>
  compact(names.map((name) => own(name).toString()).join('\n'));

/** A script of ours without the lines that are comments: a quarter of the compressed bytes. */
const script = (name: string) =>
  own(name)
    .toString()
    .replace(/^ *(?:\/\/.*|\/\*\*.*\*\/)\n/gm, '');

const USED = /\.(btn|input|textarea|select|table|field)(?![-\w])|^ +[a-z]/;
const UNUSED = /:not\(select\)|type='range'|(?<!not\(\[)role='switch'|^ +html/;

/** Leaves out the components of Basecoat that no page has: two thirds of its bytes. */
function withoutUnused(css: string): string {
  let layer = '';
  let isUsed = true;
  const isKept = (line: string) => {
    if (!line.startsWith(' ')) layer = line;
    if (layer !== '@layer components {' || line === layer) return true;
    // A rule begins; what is in it is further to the right.
    if (/^ {2}[^ }]/.test(line)) isUsed = USED.test(line) && !UNUSED.test(line);
    return isUsed;
  };
  return css.split('\n').filter(isKept).join('\n');
}

/** A file of a package, which the build has copied (nest-cli.json): production does not install these packages. */
function ofPackage(path: string): string {
  const copy = join(__dirname, '../assets', path);
  return readFileSync(existsSync(copy) ? copy : join(PACKAGES, path), 'utf8');
}

/**
 * Basecoat turns dark with a class that only a script could set; here a media query decides.
 * @param dark the system's preference, or a query that is always or never true
 */
function basecoat(dark: string): string {
  return withoutUnused(ofPackage('basecoat-css/dist/basecoat.cdn.css'))
    .replaceAll('&:is(html.dark *)', `@media ${dark}`)
    .replace(/^\.dark (\{[^{}]*\})/m, (_, block: string) => `@media ${dark} { :root ${block} }`);
}

/** MiniSearch as a module; without the URL of a source map that is not served. */
const minisearch = () =>
  readFileSync(join(PACKAGES, 'minisearch/dist/es/index.js'), 'utf8').replace(
    /^\/\/# source.*/m,
    '',
  );

/** A script of the player, with countdown.js in the same scope. */
const withCountdown = (name: string) => `(() => {\n${script('countdown.js')}${script(name)}})();`;

function asset(name: string, extension: string, type: string, content: string | Buffer): Asset {
  const body = Buffer.from(content);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return {
    path: `${ASSETS_AT}${name}.${hash}.${extension}`,
    content: new ConstantText(type, body, undefined, compress),
  };
}

const FONT = join(PACKAGES, '@fontsource-variable/inter');

/** Inter, weights 100 to 900, by alphabet: a browser loads the files whose characters are on the page. */
const fonts = readdirSync(join(FONT, 'files'))
  .filter((file) => file.endsWith('-wght-normal.woff2'))
  .map((file) => ({
    file,
    ...asset(file.slice(0, -6), 'woff2', 'font/woff2', readFileSync(join(FONT, 'files', file))),
  }));

/** The package's own rules, with the URLs under which we serve its files. */
const fontFaces = () =>
  fonts.reduce(
    (css, { file, path }) => css.replace(`./files/${file}`, path),
    compact(readFileSync(join(FONT, 'index.css'), 'utf8')),
  );

const CSS = 'text/css; charset=utf-8';
const JS = 'text/javascript; charset=utf-8';
const picture = (name: string, type = 'webp') =>
  asset(name, type, `image/${type}`, own(`${name}.${type}`));
const ASSETS = {
  basecoat: asset('basecoat', 'css', CSS, basecoat('(prefers-color-scheme: dark)')),
  basecoatLight: asset('basecoat', 'css', CSS, basecoat('not all')),
  basecoatDark: asset('basecoat', 'css', CSS, basecoat('all')),
  styles: asset(
    'dashboard',
    'css',
    CSS,
    `${fontFaces()}\n${together('shared.css', 'dashboard.css')}`,
  ),
  fontLatin: fonts.find(({ file }) => file === 'inter-latin-wght-normal.woff2')!,
  htmx: asset('htmx', 'js', JS, ofPackage('htmx.org/dist/htmx.min.js')),
  script: asset('dashboard', 'js', JS, script('dashboard.js')),
  appStyles: asset('app', 'css', CSS, together('app.css')),
  editorStyles: asset('editor', 'css', CSS, together('editor.css')),
  markdownScript: asset('markdown', 'js', JS, script('markdown.js')),
  editorScript: asset('editor', 'js', JS, script('editor.js')),
  topicsScript: asset('topics', 'js', JS, script('topics.js')),
  playerStyles: asset('player', 'css', CSS, together('player.css')),
  playerScript: asset('player', 'js', JS, withCountdown('player.js')),
  docsStyles: asset('docs', 'css', CSS, together('docs.css')),
  docsScript: asset('docs', 'js', JS, script('docs.js')),
  searchScript: asset('docs-search', 'js', JS, script('docs-search.js')),
  searchLibrary: asset('minisearch', 'js', JS, minisearch()),
  siteStyles: asset('site', 'css', CSS, together('site.css')),
  social: picture('social', 'png'),
  icon: asset('icon', 'svg', 'image/svg+xml', own('icon.svg')),
};

let element: ConstantText | undefined;

/** What the element says without a page of the service, in each language. */
const elementMessages = () =>
  Object.fromEntries(
    LANGUAGES.map((language) => {
      const { t } = messagesIn(language);
      const said = {
        unavailable: t('embed.unavailable'),
        unreachable: t('embed.unreachable'),
        again: t('embed.again'),
      };
      return [language, said];
    }),
  );

/** `<quiz-player>` in one file: its styles are those of the player's pages, and what is around them. */
export const elementScript = (): ConstantText => (element ??= new ConstantText(JS, elementCode()));

function elementCode(): string {
  const css = together('embed.css', 'shared.css', 'player.css').replaceAll('\n', ' ');
  return withCountdown('embed.js')
    .replace("'EMBED_CSS'", () => JSON.stringify(css))
    .replace("'EMBED_MESSAGES'", () => JSON.stringify(elementMessages()));
}

const BY_PATH = new Map([...Object.values(ASSETS), ...fonts].map((it) => [it.path, it]));

/** The URL of an asset: it changes with the asset, so it can be cached for ever. */
export const assetPath = (name: keyof typeof ASSETS): string => ASSETS[name].path;

/** Serves them, from memory. */
export function serveAssets(request: Request, response: Response, next: NextFunction): void {
  const found = BY_PATH.get(request.path);
  if (!found || (request.method !== 'GET' && request.method !== 'HEAD')) return next();
  // As Express does for routes, so that metrics and traces have a name for it.
  request.route = { path: `${ASSETS_AT}:file` };
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('Vary', 'Accept-Encoding');
  send(found, request, response).catch(next);
}

async function send({ content }: Asset, request: Request, response: Response): Promise<void> {
  // Fonts and pictures are compressed in themselves.
  const encoding = /text|svg/.test(content.type) ? encodingFor(request) : null;
  const body = encoding ? await content.compressed(encoding) : content.plain;
  if (encoding) response.setHeader('Content-Encoding', encoding);
  response.type(content.type).send(body);
}
