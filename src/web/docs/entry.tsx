import { setImmediate } from 'node:timers/promises';
import { renderToString } from 'preact-render-to-string';
import { Link } from '../components/format';
import { ORIGIN } from '../http/page-context';
import { Code, Json, Text } from './code';
import { Fields, SchemaField } from './fields';
import { Method } from './frame';
import {
  type Body,
  type Entry,
  isFile,
  mediaOf,
  type Response,
  statusTitle,
} from './reference.model';
import { samplesOf } from './samples';
import { TryIt } from './try-it';

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/**
 * Entries as HTML. Each is rendered in a turn of its own: together they would block the event loop for 0.2 seconds when
 * a process renders its first.
 */
export async function renderEntries(entries: readonly Entry[]): Promise<string> {
  const rendered: string[] = [];
  for (const entry of entries) {
    await setImmediate();
    rendered.push(renderToString(<EntryView entry={entry} />));
  }
  return rendered.join('');
}

/** An endpoint or an event: its description and fields on one side, its examples on the other. */
function EntryView({ entry }: { entry: Entry }) {
  return (
    <section class="entry" id={entry.id} aria-labelledby={`${entry.id}-title`}>
      <Description entry={entry} />
      <Examples entry={entry} />
    </section>
  );
}

function Description({ entry }: { entry: Entry }) {
  const { operation, isEvent, id, errors } = entry;
  const body = mediaOf(operation.requestBody?.content);
  return (
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
      {!isEvent && <Authentication entry={entry} />}
      <Parameters entry={entry} />
      {body && (
        <section>
          <h3>Body</h3>
          <BodyView {...body} isRequest={!isEvent} anchor={id} />
        </section>
      )}
      {successesOf(entry).map(([status, response]) => (
        <ResponseView key={status} status={status} response={response} />
      ))}
      {errors.length > 0 && <Errors errors={errors} />}
    </div>
  );
}

function Examples({ entry }: { entry: Entry }) {
  const delivery = mediaOf(entry.operation.requestBody?.content)?.media.example;
  return (
    <div class="entry-code">
      {entry.isEvent ? (
        <Json value={delivery} label="Delivery" />
      ) : (
        <>
          <Samples entry={entry} />
          <TryIt entry={entry} />
          <ResponseExamples responses={successesOf(entry)} />
        </>
      )}
    </div>
  );
}

/** The responses that are no errors, by their status. */
const successesOf = ({ operation }: Entry) =>
  Object.entries(operation.responses).filter(([status]) => Number(status) < 400);

/** The fields of the path, the query and the headers. */
function Parameters({ entry: { operation, isEvent, id } }: { entry: Entry }) {
  return Object.entries(PLACES).map(([place, title]) => {
    const here = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    return (
      here.length > 0 && (
        <section key={place}>
          <h3>{title}</h3>
          <ul class="fields">
            {here.map((it) => (
              <SchemaField key={it.name} {...it} anchor={id} required={isEvent || it.required} />
            ))}
          </ul>
        </section>
      )
    );
  });
}

function Errors({ errors }: Pick<Entry, 'errors'>) {
  return (
    <section>
      <h3>Errors</h3>
      <ul class="failures">
        {errors.map(({ name, status, title }) => (
          <li key={name}>
            <code>{status}</code>
            <Link to={`/docs/guides/errors#${name}`}>{title}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The fields of a body, or the formats of a file. */
function BodyView(body: Body & { isRequest?: boolean; anchor?: string }) {
  const { media, others, isRequest, anchor } = body;
  if (!isFile(media)) return <Fields schema={media.schema} isRequest={isRequest} anchor={anchor} />;
  return (
    <p>
      A file, as <Codes of={[body.type, ...others]} />.
    </p>
  );
}

/** `a`, `b` or `c` */
const Codes = ({ of }: { of: string[] }) =>
  of.map((code, index) => (
    <>
      {index > 0 && (index === of.length - 1 ? ' or ' : ', ')}
      <code>{code}</code>
    </>
  ));

function ResponseView({ status, response }: { status: string; response: Response }) {
  const media = mediaOf(response.content);
  return (
    <section>
      <h3>Response: {statusTitle(status)}</h3>
      <p>
        <Text of={response.description} />
      </p>
      {media && <BodyView {...media} />}
      {/* Collapsed: most of them come with every response. */}
      <details class="inner">
        <summary>
          Headers <span class="sr-only">of this response</span>
        </summary>
        <ul class="fields">
          {Object.entries(response.headers ?? {}).map(([name, { required, ...header }]) => (
            <SchemaField key={name} name={name} {...header} required={required ? null : false} />
          ))}
        </ul>
      </details>
    </section>
  );
}

function Authentication({ entry: { operation, errors } }: { entry: Entry }) {
  const plan = errors.some(({ name }) => name === 'plan-required');
  if (operation.security.length === 0) return <p class="needs muted">No API key required.</p>;
  const scopes = operation.security.flatMap((it) => Object.values(it) as string[][]).flat();
  return (
    <p class="needs muted">
      Requires {plan ? 'a key of a Starter or Pro account' : 'an API key'} with the scope{' '}
      <Codes of={scopes} />: see <Link to="/docs/guides/authentication">Authentication</Link>.
    </p>
  );
}

/**
 * The request in several languages. Choosing one needs no script; docs.js applies it to the whole page and remembers
 * it.
 */
function Samples({ entry }: { entry: Entry }) {
  const samples = samplesOf(entry, ORIGIN);
  return (
    <div class="samples">
      <fieldset class="languages">
        <legend class="sr-only">Language of the request</legend>
        {samples.map(({ language, label }, index) => (
          <label key={language} class="language">
            <input
              class="sr-only"
              type="radio"
              name={`${entry.id}-language`}
              value={language}
              checked={index === 0}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {samples.map((sample) => (
        <div key={sample.language} data-language={sample.language}>
          <Code {...sample} label={`Request: ${sample.label}`} />
        </div>
      ))}
    </div>
  );
}

function ResponseExamples({ responses }: { responses: [status: string, Response][] }) {
  return responses.map(([status, { content }]) => {
    const { example, examples } = content?.['application/json'] ?? {};
    const title = statusTitle(status);
    if (!examples) return example !== undefined && <Json value={example} label={title} />;
    return Object.values(examples).map(({ summary, value }) => (
      <Json value={value} label={`${title}: ${summary}`} />
    ));
  });
}
