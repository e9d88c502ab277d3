import { setImmediate } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import { guides } from './guides';
import { type Entry, fieldsOf, mediaOf, type Reference } from './reference.model';

/** A place that the search finds. */
interface Place {
  id: string;
  title: string;
  /** Where it is: the page, or the method and path of the endpoint. */
  context: string;
  /** Further text to search in. */
  text: string;
  /** How much it counts: pages before sections, and these before the parameters of all endpoints. */
  weight: number;
}

const WEIGHTS = { page: 2, section: 1.5, endpoint: 1.2, error: 1, parameter: 0.5 };

/** Words that readers use for words of the documentation. */
const SYNONYMS: Record<string, string[]> = {
  apikey: ['key'],
  token: ['key'],
  browser: ['web'],
  frontend: ['web'],
  sdk: ['client', 'typescript'],
  library: ['client'],
  javascript: ['typescript'],
  node: ['typescript'],
  remove: ['delete'],
  change: ['edit', 'update'],
  modify: ['edit', 'update'],
  login: ['sign', 'password'],
  throttling: ['limit'],
  throttle: ['limit'],
  quota: ['limit'],
  swagger: ['openapi'],
  insomnia: ['openapi', 'postman'],
  iframe: ['embed', 'frame'],
  widget: ['embed'],
  chatgpt: ['assistant'],
  claude: ['assistant'],
  ai: ['assistant'],
  upload: ['import'],
  excel: ['xlsx', 'import'],
  download: ['export'],
  hmac: ['signature'],
  callback: ['webhook'],
  monitoring: ['metric'],
  prometheus: ['metric'],
  dump: ['backup'],
  kubernetes: ['scaling', 'health'],
  env: ['setting'],
  environment: ['setting'],
  score: ['leaderboard'],
  ranking: ['leaderboard'],
};

/** Words that say nothing about the place that is sought. */
const IGNORED = (
  'a an and are as at be by can do does for from get how i in is it me my of on or ' +
  'set that the to use want what when where which why with you your'
).split(' ');

/** As docs-search.js does with a query. MiniSearch itself takes signs such as a backtick for parts of words. */
export const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u);

/** As docs-search.js does with the words of a query: lower case, without the ending of a plural. */
export const termOf = (word: string): string => {
  const lower = word.toLowerCase();
  return /..[^isu]s$/.test(lower) && lower !== 'cors' ? lower.slice(0, -1) : lower;
};

/**
 * What docs-search.js needs to search: the index of MiniSearch, how it was made, and the words above. It is made in many
 * turns: at once it would block the event loop for 0.4 seconds.
 */
export async function searchIndex(reference: Reference): Promise<string> {
  // The page looks for the terms of a query among them.
  const ignored = IGNORED.map(termOf);
  const synonyms = Object.fromEntries(
    Object.entries(SYNONYMS).map(([word, places]) => [termOf(word), places]),
  );
  const options = {
    fields: ['title', 'context', 'text'],
    storeFields: ['title', 'context', 'weight'],
  };
  const index = new MiniSearch<Place>({
    ...options,
    tokenize: wordsOf,
    processTerm: (word) => {
      const term = termOf(word);
      return ignored.includes(term) ? null : term;
    },
  });
  for (const guide of guides()) {
    await setImmediate();
    guide.render();
  }
  await index.addAllAsync(placesIn(reference), { chunkSize: 50 });
  return JSON.stringify({ options, index, synonyms, ignored });
}

/** Without tags and without characters such as `&quot;`, which would be found as words. */
const textOf = (html: string): string =>
  html
    .split('<')
    .map((part) => part.slice(part.indexOf('>') + 1))
    .join(' ')
    .replace(/&#?\w+;/g, ' ');

/** The pages, sections, endpoints, parameters and errors of the documentation, each URL once. */
function placesIn({ sections, entries, errors }: Reference): Place[] {
  const { page, section, endpoint, error } = WEIGHTS;
  return [
    {
      id: '/docs#openapi',
      title: 'OpenAPI document',
      context: 'Documentation',
      text: 'Postman Insomnia code generators Swagger JSON YAML specification schema',
      weight: page,
    },
    ...guides().flatMap(({ slug, title, help, html, headings }): Place[] => {
      const at = `/docs/guides/${slug}`;
      const [first = '', ...others] = html.split(/(?=<h[2-6] id=)/).map(textOf);
      return [
        { id: at, title, context: 'Guide', text: `${help} ${first}`, weight: page },
        ...headings.map((it, n) => ({
          id: `${at}#${it.id}`,
          title: it.title,
          context: title,
          text: others[n] ?? '',
          weight: section,
        })),
      ];
    }),
    ...sections.map(({ name, slug, description }) => ({
      id: `/docs/reference/${slug}`,
      title: name,
      context: 'Reference',
      text: description,
      weight: page,
    })),
    ...entries.map(({ method, path, operation, href }) => ({
      id: href,
      title: operation.summary,
      context: `${method} ${path}`,
      text: operation.description ?? '',
      weight: endpoint,
    })),
    ...entries.filter(({ isEvent }) => !isEvent).flatMap(parametersOf),
    ...errors.map(({ name, status, title, variants }) => ({
      id: `/docs/guides/errors#${name}`,
      title,
      context: `Error ${status}`,
      text: [...new Set(variants.map(({ fix }) => fix))].join(' '),
      weight: error,
    })),
  ];
}

/** The parameters of an endpoint and the fields of its JSON body. */
function parametersOf({ operation, href }: Entry): Place[] {
  const body = mediaOf(operation.requestBody?.content);
  const all = [
    ...(operation.parameters ?? []),
    ...fieldsOf(body?.media.schema ?? {}).map(({ name, schema }) => ({ name, ...schema })),
  ];
  return all.map(({ name, description = '' }) => ({
    id: `${href}.${name}`,
    title: name,
    context: operation.summary,
    text: description,
    weight: WEIGHTS.parameter,
  }));
}
