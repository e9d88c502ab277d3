import { startService, type Service } from '../support/service';
import { questionBodies, quizBody } from '../support/samples';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('smoke', async () => {
  const admin = await service.holder('free', { isAdmin: true });
  const created = await admin.post('/quizzes', quizBody());
  console.log(created.status, created.body, created.headers);
  const id = created.body.data.id;
  const batch = await admin.post(`/quizzes/${id}/questions/batch`, {
    questions: questionBodies(3),
  });
  console.log(batch.status, JSON.stringify(batch.body));
  for (const path of [
    '/metadata',
    '/categories',
    '/quizzes?topic=riv&tags=europe',
    `/quizzes/${id}`,
    '/questions',
    `/questions?quiz_id=${id}`,
    '/questions?random=true&seed=a',
    '/questions?random=true',
    '/questions?tags=rivers&type=TRUE_FALSE',
    '/nope',
    '/questions?limit=0',
  ]) {
    const r = await admin.get(path);
    console.log(path, r.status, JSON.stringify(r.body));
  }
  const bad = await admin.post('/quizzes', { title: '', difficulty: 'X', tags: ['', 4] });
  console.log(bad.status, JSON.stringify(bad.body, null, 1));
  const b2 = await admin.post(`/quizzes/${id}/questions/batch`, {
    questions: [
      {
        text: 'a',
        type: 'TRUE_FALSE',
        difficulty: 'EASY',
        answers: [{ text: 'a', isCorrect: true }],
      },
      5,
    ],
  });
  console.log(b2.status, JSON.stringify(b2.body, null, 1));
  console.log((await service.post('/metadata')).body, service.log.join(''));
});
