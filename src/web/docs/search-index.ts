import { guides } from './guides';
import { fieldsOf, mediaOf, type Entry, type Reference } from './reference.model';

/** What a search can find: its title, where it stands, its URL, and further text to search in. */
type SearchEntry = [title: string, context: string, href: string, text: string];

/** The pages, endpoints, parameters, errors and headings of the documentation. */
export function searchIndex({ sections, entries, errors }: Reference): SearchEntry[] {
  return [
    ...sections.map(({ name, slug, description }): SearchEntry => [
      name,
      'Reference',
      `/docs/reference/${slug}`,
      description,
    ]),
    ...entries.map(({ method, path, operation, href }): SearchEntry => [
      operation.summary,
      `${method} ${path}`,
      href,
      operation.description ?? '',
    ]),
    ...guides().flatMap(({ slug, title, help, headings }): SearchEntry[] => [
      [title, 'Guide', `/docs/guides/${slug}`, help],
      ...headings.map((it): SearchEntry => [it.title, title, `/docs/guides/${slug}#${it.id}`, '']),
    ]),
    ...entries.filter(({ isEvent }) => !isEvent).flatMap(parametersOf),
    ...errors.map(({ name, status, title, fix }): SearchEntry => [
      title,
      `Error ${status}`,
      `/docs/guides/errors#${name}`,
      fix,
    ]),
  ];
}

/** The parameters of an endpoint and the fields of its JSON body. */
function parametersOf({ operation, href }: Entry): SearchEntry[] {
  const body = mediaOf(operation.requestBody?.content);
  return [
    ...(operation.parameters ?? []),
    ...fieldsOf(body?.media.schema ?? {}).map(({ name, schema }) => ({ name, ...schema })),
  ].map(({ name, description = '' }) => [name, operation.summary, `${href}.${name}`, description]);
}
