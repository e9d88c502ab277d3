import type { ParameterObject } from '../../platform/openapi/openapi-objects';
import { shown } from './fields';
import { isFile, mediaOf, type Entry, type Reference } from './reference.model';

/**
 * A form that sends the request from this page. It needs a script and so is hidden without one; the answer is
 * shown as text.
 */
export function TryIt({ entry, reference }: { entry: Entry; reference: Reference }) {
  const { id, method, path, operation } = entry;
  const { parameters = [], requestBody, security } = operation;
  const body = mediaOf(requestBody?.content);
  // Browsers send that by themselves.
  const given = parameters.filter((it) => it.name !== 'If-None-Match');
  return (
    <details class="try" data-try hidden>
      <summary>
        Try it <span class="sr-only">: {operation.summary}</span>
      </summary>
      <form
        data-method={method}
        data-path={path}
        data-type={body?.type}
        data-secured={security.length > 0 ? '' : undefined}
      >
        {security.length > 0 && (
          <div class="field">
            <label for={`${id}-key`}>API key</label>
            <input
              class="input"
              id={`${id}-key`}
              type="password"
              data-key
              autocomplete="off"
              spellcheck={false}
              placeholder="svc_…"
            />
            <p class="field-help">Kept in this tab only, and sent as a header.</p>
          </div>
        )}
        {given.map((parameter) => (
          <Parameter key={parameter.name} id={id} parameter={parameter} reference={reference} />
        ))}
        {body && (
          <div class="field">
            <label for={`${id}-body`}>Body</label>
            <textarea
              class="textarea mono"
              id={`${id}-body`}
              name="body"
              rows={10}
              spellcheck={false}
            >
              {isFile(body.media) ? '' : JSON.stringify(body.media.example, null, 2)}
            </textarea>
          </div>
        )}
        <button class="btn" data-size="sm">
          Send
        </button>
      </form>
      <div class="try-answer" data-answer role="status" hidden>
        <p data-line></p>
        <pre tabIndex={0} role="group" aria-label={`Answer to: ${operation.summary}`}>
          <code data-body></code>
        </pre>
      </div>
    </details>
  );
}

function Parameter({
  id,
  parameter,
  reference,
}: {
  id: string;
  parameter: ParameterObject;
  reference: Reference;
}) {
  const { name, required } = parameter;
  const schema = reference.schema(parameter.schema);
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  const field = `${id}-${name}`;
  const example = schema.default ?? schema.examples?.[0];
  return (
    <div class="field">
      <label for={field}>
        <code>{name}</code>
      </label>
      {choices ? (
        <select class="select" id={field} name={name} data-in={parameter.in}>
          <option value="">
            {schema.default === undefined ? '(any)' : `(${shown(schema.default)})`}
          </option>
          {choices.map((value) => (
            <option key={String(value)} value={String(value)}>
              {String(value)}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="input"
          id={field}
          name={name}
          data-in={parameter.in}
          required={required}
          autocomplete="off"
          placeholder={
            parameter.in === 'query' && example !== undefined
              ? [example].flat().map(shown).join(',')
              : undefined
          }
        />
      )}
    </div>
  );
}
