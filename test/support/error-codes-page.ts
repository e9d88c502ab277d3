import type { OpenApiDocument } from '../../src/platform/openapi/openapi-objects';
import { Reference } from '../../src/web/docs/reference.model';

/** Errors of requests that reach no endpoint, so that the OpenAPI document has no place for them. */
const WITHOUT_ENDPOINT = [
  { name: 'malformed-request', status: 400, title: 'The request is not valid HTTP' },
  { name: 'route-not-found', status: 404, title: 'The API has no such path' },
  { name: 'method-not-allowed', status: 405, title: 'The path does not support this method' },
];

/** Every cause of an error, by status. */
export const causesOf = (document: OpenApiDocument) =>
  [...new Reference(document).errors, ...WITHOUT_ENDPOINT].sort(
    (a, b) => a.status - b.status || (a.name < b.name ? -1 : 1),
  );

/** The table of codes in docs/guides/errors.md. */
export function errorCodesTable(document: OpenApiDocument): string {
  const rows = causesOf(document).map(({ name, status, title }) => [
    `\`${name}\``,
    String(status),
    title,
  ]);
  const header = ['Code', 'Status', 'Cause'];
  const widths = header.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(header), rule, ...rows.map(line)].join('\n');
}
