import { quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { createQuiz } from '../support/writing';

let service: Service;
let account: TestAccount;
let free: TestAccount;
let quiz: string;

beforeAll(async () => {
  service = await startService();
  account = await service.account();
  free = await service.account('free');
  quiz = await createQuiz(account);
});
afterAll(() => service.close());

const REFUSED = {
  success: false,
  error:
    'The Accept header does not allow JSON, the only response format. Send Accept: application/json, or omit the header.',
};
const XML = 'application/xml, text/html;q=0.9';

describe('unsupported formats', () => {
  it.each(['/quizzes', '/questions', '/metadata', '/categories', '/imports', '/openapi.json'])(
    'GET %s with an unsupported Accept gets 406 with the envelope',
    async (path) => {
      const response = await account.get(path).set('Accept', XML).expect(406);
      expect(response.body).toEqual(REFUSED);
      expect(response.headers['content-type']).toMatch(/^application\/json/);
    },
  );

  it('a POST that gets 406 creates nothing', async () => {
    const total = async () => (await account.get('/quizzes').expect(200)).body.meta.total as number;
    const before = await total();
    const body = quizBody();
    await account.post('/quizzes', body).set('Accept', 'text/html').expect(406, REFUSED);
    expect(await total()).toBe(before);
  });

  it('406 is checked after the key and the plan, and before the body and the quiz', async () => {
    await service.get('/quizzes').set('Accept', XML).expect(401);
    await free.post('/quizzes', quizBody()).set('Accept', XML).expect(403);
    await account.post('/quizzes', '{"title": ').set('Accept', XML).expect(406);
    await account.get('/quizzes/none').set('Accept', XML).expect(406);
  });

  it('files are served with any Accept header', async () => {
    await account.get(`/quizzes/${quiz}/export?format=csv`).set('Accept', 'text/csv').expect(200);
    await service.get('/openapi.yaml').set('Accept', 'application/yaml').expect(200);
  });

  it.each(['*/*', 'application/json', 'text/html,application/xhtml+xml,*/*;q=0.8', ''])(
    'Accept: %s is served as JSON',
    (accept) =>
      account
        .get('/quizzes')
        .set('Accept', accept)
        .expect(200)
        .expect('Content-Type', /^application\/json/),
  );
});

describe('unknown API versions', () => {
  it.each(['/api/v2/quizzes', '/api/V2', '/api/v0/metadata', '/api/v10/x?api_key=y'])(
    '%s gets 404, which names the existing version',
    async (path) => {
      const response = await fetch(service.url + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        success: false,
        error: expect.stringMatching(
          /^There is no v\d+ of this API\. It lives under \/api\/v1\.$/i,
        ),
      });
    },
  );
});
