import type { HeaderObject, ResponseObject } from '../../platform/openapi/openapi-objects';
import { usePage } from '../http/page-context';
import { Code, Text } from './code';
import { Field, Fields } from './fields';
import { Method } from './frame';
import { isFile, mediaOf, type Entry, type Reference } from './reference.model';
import { TryIt } from './try-it';

const STATUS: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  304: 'Not Modified',
};
const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/** An endpoint or an event: what it is and takes at one side, what it looks like at the other. */
export function EntryView({ entry, reference }: { entry: Entry; reference: Reference }) {
  const { operation, kind, id } = entry;
  const { parameters = [], requestBody } = operation;
  const body = mediaOf(requestBody?.content);
  const good = reference.responses(entry).filter(({ status }) => /^[23]\d\d$/.test(status));
  const failures = kind === 'endpoint' ? reference.failures(entry) : [];
  return (
    <section class="entry" id={id} aria-labelledby={`${id}-title`}>
      <div class="entry-words">
        <h2 id={`${id}-title`}>{operation.summary}</h2>
        <p class="entry-path">
          <Method method={entry.method} /> <code>{entry.path}</code>
        </p>
        {operation.description && (
          <p>
            <Text of={operation.description} />
          </p>
        )}
        {kind === 'endpoint' && <Needs entry={entry} reference={reference} />}
        {Object.entries(PLACES).map(([place, title]) => {
          const here = parameters.filter((parameter) => parameter.in === place);
          return (
            here.length > 0 && (
              <section key={place}>
                <h3>{title}</h3>
                <ul class="fields">
                  {here.map((it) => (
                    <Field
                      key={it.name}
                      {...it}
                      required={kind === 'event' ? null : it.required}
                      reference={reference}
                    />
                  ))}
                </ul>
              </section>
            )
          );
        })}
        {body && (
          <section>
            <h3>Body</h3>
            <Body {...body} reference={reference} sent={kind === 'endpoint'} />
          </section>
        )}
        {kind === 'endpoint' &&
          good.map(({ status, response }) => {
            const media = mediaOf(response.content);
            return (
              <section key={status}>
                <h3>
                  Answer: {status} {STATUS[status]}
                </h3>
                <p>
                  <Text of={response.description} />
                </p>
                {media && <Body {...media} reference={reference} />}
                <AnswerHeaders of={response} reference={reference} />
              </section>
            );
          })}
        {failures.length > 0 && (
          <section>
            <h3>Errors</h3>
            <ul class="failures">
              {failures.map(({ name, status, title }) => (
                <li key={name}>
                  <code>{status}</code>
                  <a class="link" href={`/docs/guides/errors#${name}`}>
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <div class="entry-code">
        {kind === 'endpoint' ? (
          <Samples entry={entry} reference={reference} />
        ) : (
          body && <Code code={json(body.media.example)} language="json" label="What arrives" />
        )}
      </div>
    </section>
  );
}

/** The fields of a body, or in which formats a file may be. */
function Body({
  type,
  media,
  others,
  reference,
  sent,
}: NonNullable<ReturnType<typeof mediaOf>> & { reference: Reference; sent?: boolean }) {
  if (!isFile(media)) return <Fields schema={media.schema} reference={reference} sent={sent} />;
  return (
    <p>
      A file, as <code>{type}</code>
      {others.map((other, index) => (
        <>
          {index === others.length - 1 ? ' or ' : ', '}
          <code>{other}</code>
        </>
      ))}
      .
    </p>
  );
}

/** Folded: most of them come with every answer. */
function AnswerHeaders({ of, reference }: { of: ResponseObject; reference: Reference }) {
  const headers = Object.entries(of.headers ?? {}).map(
    ([name, header]) => [name, reference.resolve<HeaderObject>(header as HeaderObject)] as const,
  );
  return (
    <details class="inner">
      <summary>
        Headers <span class="sr-only">of this answer</span>
      </summary>
      <ul class="fields">
        {headers.map(([name, { description, schema, required = false }]) => (
          <Field
            key={name}
            name={name}
            schema={schema}
            description={description}
            required={required ? null : false}
            reference={reference}
          />
        ))}
      </ul>
    </details>
  );
}

function Needs({ entry, reference }: { entry: Entry; reference: Reference }) {
  const plan = reference.failures(entry).some(({ name }) => name === 'plan-required');
  const words = plan ? 'A key of a Starter or Pro account' : 'An API key';
  return (
    <p class="needs">
      {entry.operation.security.length === 0 ? (
        'No key is needed.'
      ) : (
        <>
          {words} is needed: see{' '}
          <a class="link" href="/docs/guides/authentication">
            Authentication
          </a>
          .
        </>
      )}
    </p>
  );
}

function Samples({ entry, reference }: { entry: Entry; reference: Reference }) {
  const { baseUrl } = usePage();
  const samples = reference
    .responses(entry)
    .filter(({ status }) => Number(status) < 300)
    .flatMap(({ status, response }) => {
      const found = mediaOf(response.content);
      if (!found || found.type !== 'application/json') return [];
      const { example, examples } = found.media;
      if (example === undefined && !examples) return [];
      return examples
        ? Object.values(examples).map(({ summary, value }) => ({
            label: `${status} ${STATUS[status] ?? ''}: ${summary}`,
            value,
          }))
        : [{ label: `${status} ${STATUS[status] ?? ''}`, value: example }];
    });
  return (
    <>
      <Code code={curlOf(entry, baseUrl)} language="sh" label="Request" />
      <TryIt entry={entry} reference={reference} />
      {samples.map(({ label, value }) => (
        <Code key={label} code={json(value)} language="json" label={label} />
      ))}
    </>
  );
}

/** A line to paste; the key is in a variable. */
function curlOf({ method, path, operation }: Entry, baseUrl: string): string {
  const { parameters = [], requestBody, security } = operation;
  const filled = parameters
    .filter((it) => it.in === 'path')
    .reduce((at, it) => at.replace(`{${it.name}}`, String(it.schema.examples?.[0])), path);
  const body = mediaOf(requestBody?.content);
  const lines = [
    `curl -s ${method === 'GET' || body ? '' : `-X ${method} `}"${baseUrl}${filled}"`,
    ...(security.length > 0 ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body
      ? [
          `-H "Content-Type: ${body.type}"`,
          !isFile(body.media)
            ? `-d '${json(body.media.example).replaceAll("'", "'\\''")}'`
            : '--data-binary @questions.csv',
        ]
      : []),
  ];
  return lines.join(' \\\n  ');
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
