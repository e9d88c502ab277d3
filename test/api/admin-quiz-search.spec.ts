import { makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { type Service, startService, type TestAccount } from '../support/service';

let service: Service;
let owner: TestAccount;
let administrators: Window;

beforeAll(async () => {
  service = await startService({ MODERATION: 'auto' });
  owner = await service.account('pro');
  administrators = await signIn(service, await service.account('free', { isAdmin: true }));
});
afterAll(() => service.close());

it('administrators find a published quiz by its URL or id', async () => {
  const quiz = await makeQuiz(owner);
  const { slug } = (await owner.get(`/quizzes/${quiz.id}`).expect(200)).body.data;
  for (const known of [quiz.id, `/play/${slug}`, `https://quiz.example.com/play/${slug}/?a=b`])
    await administrators
      .open(`/admin/quizzes?q=${encodeURIComponent(known)}`)
      .expect(303)
      .expect('Location', `/dashboard/admin/review/${quiz.id}`);
  // A slash alone makes no URL: this is a search.
  await administrators.open(`/admin/quizzes?q=${encodeURIComponent(`ac/${slug}`)}`).expect(200);
  const { text } = await administrators.open('/admin/quizzes?q=%3Cb%3Enone/').expect(200);
  expect(text).toContain('No quiz matches');
  expect(text).not.toContain('<b>none');
});
