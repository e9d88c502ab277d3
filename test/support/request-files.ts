import { readFileSync } from 'node:fs';

/** A request of a file for editors, such as docs/requests/quizzes.http. */
export interface FileRequest {
  /** `quizzes.http:14 Create a quiz` */
  title: string;
  /** By which later requests refer to its response. */
  name: string | null;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** The status that its comment names, such as `(409 after its end)`; null: any 2xx. */
  status: number | null;
}

/**
 * The requests of a file and its variables (`@host = …`), in what editors agree about: `###` begins a request, `#` a
 * comment, `# @name` names a request.
 * @throws Error if a request has no request line
 */
export function readRequests(path: string): {
  variables: Record<string, string>;
  requests: FileRequest[];
} {
  const file = path.split('/').at(-1);
  const variables: Record<string, string> = {};
  const requests: FileRequest[] = [];
  let line = 1;
  for (const block of readFileSync(path, 'utf8').split(/^(?=###)/m)) {
    const at = line;
    line += block.split('\n').length - 1;
    const lines = block.split('\n');
    for (const [, name = '', value = ''] of block.matchAll(/^@(\w+) *= *(.*)$/gm))
      variables[name] = value;
    const comments = lines.filter((it) => it.startsWith('#')).join('\n');
    const rest = lines
      .filter((it) => !/^[#@]/.test(it))
      .join('\n')
      .trim();
    if (!rest && !block.startsWith('###')) continue;
    const [head = '', ...body] = rest.split('\n\n');
    const [first = '', ...headers] = head.split('\n');
    const [, method, url] = /^(GET|POST|PUT|PATCH|DELETE) (\S+)$/.exec(first) ?? [];
    if (!method || !url) throw new Error(`${file}:${at} has no request`);
    const status = /\b[45]\d\d\b/.exec(comments);
    requests.push({
      title: `${file}:${at} ${block.split('\n')[0]?.replace(/^#+ */, '')}`,
      name: /^# @name (\w+)$/m.exec(comments)?.[1] ?? null,
      method,
      url,
      headers: Object.fromEntries(headers.map((it) => it.split(': ', 2) as [string, string])),
      body: body.length > 0 ? `${body.join('\n\n')}\n` : undefined,
      status: status ? Number(status[0]) : null,
    });
  }
  return { variables, requests };
}

/**
 * A text with its placeholders replaced: `{{host}}`, and `{{created.response.body.data[0].id}}` of an earlier response.
 * @throws Error if there is nothing of the name: an editor would send the placeholder itself
 */
export function fillIn(
  text: string,
  variables: Record<string, string>,
  responses: ReadonlyMap<string, unknown>,
): string {
  return text.replace(/\{\{(.*?)\}\}/g, (placeholder, path: string) => {
    const [, name, within] = /^(\w+)\.response\.body\.(.*)$/.exec(path) ?? [];
    const value = within
      ? within
          .split(/[.[\]]+/)
          .filter(Boolean)
          .reduce<unknown>(
            (it, key) => (it as Record<string, unknown> | undefined)?.[key],
            responses.get(name!),
          )
      : variables[path];
    if (typeof value !== 'string') throw new Error(`${placeholder} is not known`);
    return value;
  });
}
