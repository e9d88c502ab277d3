import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_DESCRIPTION } from '../../src/app/api-description';
import { VERSION } from '../../src/platform/config/config';
import { ERROR_CODES } from '../../src/platform/errors/error-codes';
import { ApiDocument, jsonOf } from '../../src/platform/openapi/document/api-document';
import type {
  HeaderObject,
  OpenApiDocument,
  Reference,
  ResponseObject,
} from '../../src/platform/openapi/openapi-objects';
import { endpointsOf } from '../support/endpoints';
import { causesOf, errorCodesTable } from '../support/error-codes-page';
import { generateDocument } from '../support/openapi-document';
import readMetadata from '../support/openapi-metadata';
import { type Service, startService } from '../support/service';

/** The OpenAPI document: where it is, that it is whole, and that the committed one is this one. */
const COMMITTED = join(__dirname, '../../docs/openapi.json');

let service: Service;
let generated: OpenApiDocument;
beforeAll(async () => {
  service = await startService();
  generated = await generateDocument(service.app, readMetadata, API_DESCRIPTION);
});
afterAll(() => service.close());

/** Every route below /api/v1 that the router knows, as OpenAPI writes it. */
function routes(): string[] {
  const { router } = service.app.getHttpAdapter().getInstance() as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return router.stack
    .flatMap(({ route }) => (route ? [route] : []))
    .filter(({ path }) => /^\/(api\/v1|health)\//.test(path) && !path.includes('*'))
    .flatMap(({ path, methods }) =>
      Object.keys(methods).map((method) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
    );
}

describe('the OpenAPI document', () => {
  test('the OpenAPI document is served without a key, equal as JSON and YAML', async () => {
    const json = await service.get('/openapi.json').expect(200);
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    const yaml = await service.get('/openapi.yaml').expect(200);
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parse(yaml.text)).toEqual(json.body);
    expect(json.body.openapi).toBe('3.1.1');
  });

  test('without PUBLIC_URL the server is this machine, where the request came to it by name, else relative', async () => {
    const { port } = new URL(service.url);
    const serverFor = async (host: string) => {
      const [json, yaml] = await Promise.all(
        ['json', 'yaml'].map((type) => service.get(`/openapi.${type}`).set('Host', host)),
      );
      const { servers } = parse(yaml!.text) as { servers: { url: string }[] };
      expect(json!.body.servers).toEqual(servers);
      return servers.map(({ url }) => url);
    };
    expect(await serverFor('localhost:3000')).toEqual(['http://localhost:3000']);
    expect(await serverFor('127.0.0.1:3000')).toEqual(['http://localhost:3000']);
    for (const host of ['evil.example', `localhost:${port}`, 'localhost:3000.evil.example', ''])
      expect(await serverFor(host)).toEqual(['/']);
  });

  test('with PUBLIC_URL the server is that URL, whatever the Host, and the release is named', async () => {
    const other = await startService({ PUBLIC_URL: 'https://quiz.example.com/base/' });
    try {
      for (const host of ['evil.example', 'localhost:3000']) {
        const { body } = await other.get('/openapi.json').set('Host', host).expect(200);
        expect(body.servers).toEqual([
          { url: 'https://quiz.example.com/base', description: 'This service.' },
        ]);
        expect(body.info.description).toContain(`release ${VERSION} of the service`);
      }
    } finally {
      await other.close();
    }
  });

  test('files are sent as bytes: the first media type of an upload is binary, and so are all others', () => {
    const { paths } = service.app.get(ApiDocument).document;
    const content = paths['/api/v1/imports']?.post?.requestBody?.content ?? {};
    expect(Object.keys(content)[0]).toBe('application/octet-stream');
    expect(Object.keys(content).filter((type) => /\bjson$/.test(type))).toEqual([]);
    expect(Object.values(content).map(({ schema }) => schema)).toEqual(
      Object.values(content).map(() => ({
        type: 'string',
        format: 'binary',
        description: 'The bytes of the file.',
      })),
    );
  });

  test('fields of bodies have no `default`, which generated types take for required', () => {
    const { schemas } = service.app.get(ApiDocument).document.components;
    expect(JSON.stringify(schemas)).not.toContain('"default":');
    const { published } = schemas.CreateQuizRequest?.properties ?? {};
    expect(published?.description).toMatch(/Default: `false`\.$/);
  });

  test('components of responses have short names, and each error response names its causes', () => {
    const { components, paths } = service.app.get(ApiDocument).document;
    expect(Object.keys(components.responses ?? {}).filter((name) => name.length > 30)).toEqual([]);
    const resolved = (it: ResponseObject | Reference) =>
      '$ref' in it ? (components.responses?.[it.$ref.split('/').at(-1)!] as ResponseObject) : it;
    for (const operations of Object.values(paths))
      for (const { operationId, responses } of Object.values(operations)) {
        expect([operationId, responses['431']]).toEqual([
          operationId,
          { $ref: '#/components/responses/headers-too-large' },
        ]);
        for (const [status, response] of Object.entries(responses)) {
          if (Number(status) < 400) continue;
          const code = resolved(response).headers?.['X-Error-Code'] as HeaderObject | undefined;
          expect([operationId, status, code?.schema.enum]).toEqual([
            operationId,
            status,
            expect.arrayContaining([expect.stringMatching(/^[a-z-]+$/)]),
          ]);
        }
      }
  });

  test('the interface description is version 1.0.0', async () => {
    const { body } = await service.get('/openapi.json').expect(200);
    expect(body.info.version).toBe('1.0.0');
  });

  test('the OpenAPI document lists exactly the endpoints of the API', () => {
    const { paths } = service.app.get(ApiDocument).document;
    const named = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(named.sort()).toEqual(routes().sort());
  });

  test('the OpenAPI document has Bearer as its only security scheme', () => {
    const { components, paths } = service.app.get(ApiDocument).document;
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(['bearer']);
    expect(paths['/api/v1/quizzes']?.get).toMatchObject({
      security: [{ bearer: ['read'] }, { bearer: ['play'] }],
    });
  });

  test('no endpoint but metadata, categories and the OpenAPI document is served without a key', () => {
    const open = endpointsOf(service).filter(({ scopes }) => scopes.length === 0);
    expect(open.map(({ path }) => path).sort()).toEqual([
      '/categories',
      '/metadata',
      '/openapi.json',
      '/openapi.yaml',
    ]);
  });

  test('the OpenAPI document has no string keywords on arrays', () => {
    const wrong: string[] = [];
    const visit = (at: string, value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, ...rules } = value as { type?: unknown };
      if ([type].flat().includes('array'))
        for (const rule of ['minLength', 'maxLength', 'pattern'])
          if (rule in rules) wrong.push(`${at}: ${rule}`);
      for (const [key, child] of Object.entries(value)) visit(`${at}/${key}`, child);
    };
    visit('', service.app.get(ApiDocument).document);
    expect(wrong).toEqual([]);
  });

  test('no field of the OpenAPI document is described by its own name alone', () => {
    const found: string[] = [];
    /** `quizId`: "quiz id" and "quiz". */
    const namesOf = (field: string) => {
      const words = field.replace(/_|(?=[A-Z])/g, ' ').toLowerCase();
      return [words, words.replace(/ ids?$/, '')];
    };
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      type Described = { description?: string };
      const { properties = {}, name } = value as {
        properties?: Record<string, Described>;
        name?: unknown;
      };
      const named: [string, Described][] = Object.entries(properties);
      // A parameter.
      if (typeof name === 'string') named.push([name, value]);
      for (const [field, { description = '' }] of named) {
        const [, said = ''] = /^(?:An?|Its|The) ([^.]+)\.$/.exec(description) ?? [];
        if (namesOf(field).includes(said.toLowerCase())) found.push(`${field}: ${description}`);
      }
      for (const child of Object.values(value)) visit(child);
    };
    visit(service.app.get(ApiDocument).document);
    expect(found).toEqual([]);
  });

  test('two controllers with a handler of the same name are refused, as one would describe the other', async () => {
    const withTwo = async () => {
      const { returns, ...rest } = await readMetadata();
      return { ...rest, returns: { ...returns, OtherController: { listQuizzes: 'Others.' } } };
    };
    await expect(generateDocument(service.app, withTwo, API_DESCRIPTION)).rejects.toThrow(
      'OtherController is the second controller with a handler listQuizzes: rename one.',
    );
  });

  test('every error code is one that the document, or the list of errors without an endpoint, describes', () => {
    const { document } = service.app.get(ApiDocument);
    const names = causesOf(document).map(({ name }) => name);
    expect(names.sort()).toEqual([...ERROR_CODES].sort());
  });

  test('the codes of docs/guides/errors.md are those of docs/openapi.json (else run `npm run openapi`)', () => {
    const file = join(__dirname, '../../docs/guides/errors.md');
    const text = readFileSync(file, 'utf8');
    const [before = ''] = text.split(/(?<=<!-- Generated by `npm run openapi`. -->\n\n)/);
    const expected = `${before}${errorCodesTable(generated)}\n`;
    if (process.env.WRITE_OPENAPI) writeFileSync(file, expected);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  });

  test('docs/openapi.json is the generated OpenAPI document (else run `npm run openapi`)', () => {
    const json = jsonOf(generated);
    if (process.env.WRITE_OPENAPI) writeFileSync(COMMITTED, json);
    expect(readFileSync(COMMITTED, 'utf8')).toBe(json);
  });
});
