import type { ParameterObject } from '../../platform/openapi/openapi-objects';
import { Link } from '../components/format';
import { shown } from './fields';
import { type Entry, isFile, mediaOf } from './reference.model';

/** A form that sends the request from this page (docs.js). Hidden without a script. */
export function TryIt({ entry }: { entry: Entry }) {
  const { id, method, path, operation } = entry;
  const { parameters = [], requestBody, security } = operation;
  const body = mediaOf(requestBody?.content);
  return (
    <details class="try" data-try hidden>
      <summary>
        Try it <span class="sr-only">: {operation.summary}</span>
      </summary>
      <form data-method={method} data-path={path} data-type={body?.type}>
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
              aria-describedby={`${id}-key-help`}
            />
            <p class="field-help" id={`${id}-key-help`} data-key-help>
              Kept in this tab only, and sent as a header.{' '}
              <Link to="/dashboard/keys/new?for=docs">Create a key for an hour</Link>
            </p>
          </div>
        )}
        {parameters
          // Browsers send If-None-Match by themselves.
          .filter(({ name }) => name !== 'If-None-Match')
          .map((parameter) => (
            <Parameter key={parameter.name} id={`${id}-${parameter.name}`} {...parameter} />
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
      <div class="try-response" data-response role="status" hidden>
        <p data-line></p>
        <pre tabIndex={0} role="group" aria-label={`Response to: ${operation.summary}`}>
          <code data-body></code>
        </pre>
      </div>
    </details>
  );
}

function Parameter({ id, name, in: place, required, schema }: ParameterObject & { id: string }) {
  const values = schema.type === 'boolean' ? [true, false] : schema.enum;
  // The first option is the default.
  const choices = values?.filter((value) => value !== schema.default).map(String);
  const example = schema.default ?? schema.examples?.[0];
  const hint = place === 'query' && example !== undefined && [example].flat().map(shown).join(',');
  return (
    <div class="field">
      <label for={id} data-required={required ? '(required)' : undefined}>
        <code>{name}</code>
      </label>
      {choices ? (
        <select class="select" id={id} name={name} data-in={place}>
          <option value="">
            {schema.default === undefined ? '(any)' : `(${shown(schema.default)})`}
          </option>
          {choices.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="input"
          id={id}
          name={name}
          data-in={place}
          required={required}
          autocomplete="off"
          placeholder={hint || undefined}
        />
      )}
    </div>
  );
}
