import request from 'supertest';
import { endpointsOf } from '../support/endpoints';
import { questionBody, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

/** The header X-Ignored, which names parameters and fields that nothing reads. */

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await startService();
  account = await service.account('pro');
});
afterAll(() => service.close());

const IGNORED = 'x-ignored';
/** The URL of an endpoint, with ids that nothing has. */
const urlOf = (path: string) => path.replace(/\{\w+\}/g, 'none');

describe('X-Ignored', () => {
  it('a misspelled query parameter is named, and still ignored', async () => {
    const { headers, body } = await account.get('/quizzes?dificulty=EASY&limit=1').expect(200);
    expect(headers[IGNORED]).toBe('dificulty');
    expect(headers['access-control-expose-headers']).toContain('X-Ignored');
    expect(body.meta.limit).toBe(1);
  });

  it('a repeated read, which may come from the cache, names it again', async () => {
    for (const path of ['/metadata?x=1', '/quizzes?x=1', '/questions?x=1'])
      for (let time = 0; time < 3; time++) {
        const { headers } = await account.get(path).expect(200);
        expect(headers[IGNORED]).toBe('x');
      }
  });

  it('misspelled fields of a body are named at every level, also beside validation errors', async () => {
    const created = await account
      .post('/quizzes?pubished=true', { ...quizBody(), descripton: 'x', owner: 1 })
      .expect(201);
    expect(created.headers[IGNORED]).toBe('pubished, descripton, owner');
    const question = {
      ...questionBody(),
      answrs: [],
      answers: [
        { text: 'The Danube', isCorrect: true, corect: true },
        { text: 'The Rhine', isCorrect: false, corect: false },
      ],
    };
    const path = `/quizzes/${created.body.data.id}/questions/batch`;
    const batch = await account.post(path, { questions: [question, question] }).expect(201);
    expect(batch.headers[IGNORED]).toBe('questions[].answers[].corect, questions[].answrs');
    const invalid = await account.post('/quizzes', { titel: 'T', difficulty: 'EASY' }).expect(422);
    expect(invalid.headers[IGNORED]).toBe('titel');
  });

  it('a request whose names are all known has no X-Ignored, whatever way its key is sent', async () => {
    const query = 'category=a&difficulty=EASY&tags=b&tags_match=all&topic=c&sort=title&offset=0';
    for (const sent of [
      account.get(`/quizzes?${query}`),
      account.get('/questions?random=true&seed=a&exclude=&type='),
      account.get('/questions?quiz_id=x&include_answers=true'),
      service.get(`/quizzes?api_key=${account.key}`),
      service.get(`/quizzes?apiKey=${account.key}`),
      service.get('/quizzes').set('X-API-Key', account.key),
      account.post('/quizzes', { ...quizBody(), featured: true, categoryId: null }),
    ]) {
      const { status, headers } = await sent;
      expect([200, 201]).toContain(status);
      expect(headers).not.toHaveProperty(IGNORED);
    }
  });

  it('parameters of OpenTDB are read, so X-Ignored does not name them', async () => {
    for (const path of [
      'api.php?amount=10&category=9&difficulty=easy&type=multiple&encode=base64&token=a',
      'api_count.php?category=9',
      'api_token.php?command=reset&token=a',
    ]) {
      const { headers } = await request(service.url).get(`/opentdb/${path}`).expect(200);
      expect(headers).not.toHaveProperty(IGNORED);
    }
  });

  it('no request is told what it sent before its key was accepted', async () => {
    const { headers } = await service.get('/quizzes?dificulty=EASY').expect(401);
    expect(headers).not.toHaveProperty(IGNORED);
  });

  it('X-Ignored names at most ten, each of at most 40 printable ASCII characters', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `n${index}=`).join('&');
    const { headers } = await account.get(`/quizzes?${many}`).expect(200);
    expect(headers[IGNORED]).toBe('n0, n1, n2, n3, n4, n5, n6, n7, n8, n9');
    const names = ['é\r\nSet-Cookie: a=b', 'a,b', '\u{1F600}', 'l'.repeat(1_000), ' '];
    const fields = Object.fromEntries(names.map((name) => [name, 1]));
    const created = await account.post('/quizzes', { ...quizBody(), ...fields }).expect(201);
    expect(created.headers[IGNORED]).toBe(`???Set-Cookie:?a=b, a?b, ??, ${'l'.repeat(40)}, ?`);
  });

  it('every operation knows exactly the query parameters that the OpenAPI document has for it', async () => {
    const wrong: string[] = [];
    const endpoints = endpointsOf(service);
    for (const { method, path, operation } of endpoints) {
      const inQuery = (operation.parameters ?? []).filter((it) => it.in === 'query');
      const query = [...inQuery.map((it) => it.name), 'nonsense']
        .map((name) => `${name}=`)
        .join('&');
      const { headers, status } = await account[method](`${urlOf(path)}?${query}`);
      if (headers[IGNORED] !== 'nonsense')
        wrong.push(`${method} ${path} ${status}: ${headers[IGNORED]}`);
    }
    expect(wrong).toEqual([]);
    expect(endpoints.length).toBeGreaterThan(40);
  });

  it('every operation with a JSON body names an unknown field', async () => {
    const wrong: string[] = [];
    const endpoints = endpointsOf(service).filter(
      ({ operation }) => operation.requestBody?.content['application/json']?.schema.$ref,
    );
    for (const { method, path } of endpoints) {
      const { headers, status } = await account[method](urlOf(path)).send({ nonsense: 1 });
      if (headers[IGNORED] !== 'nonsense') wrong.push(`${method} ${path} ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(endpoints.length).toBeGreaterThan(8);
  });
});
