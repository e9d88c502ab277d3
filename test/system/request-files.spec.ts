import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { eventually } from '../support/clock';
import { quizctlIn } from '../support/quizctl';
import { fillIn, readRequests } from '../support/request-files';
import { type Service, startService, TEST_ENCRYPTION_KEY } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';

/** Every request of docs/requests, sent as an editor sends it, to a service with the starter catalogue. */
const FOLDER = join(__dirname, '../../docs/requests');
const FILES = readdirSync(FOLDER);

let service: Service;
let worker: INestApplicationContext;
beforeAll(async () => {
  service = await startService();
  worker = await startWorkerBeside(service);
  const env = { DATABASE_URL: service.databaseUrl, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY };
  expect(await quizctlIn(env, 'seed')).toMatchObject({ code: 0 });
}, 60_000);
afterAll(async () => {
  await worker.close();
  await service.close();
});

test('docs/requests has files of requests', () => {
  expect(FILES).toEqual(expect.arrayContaining(['files.http', 'playing.http', 'quizzes.http']));
});

test.each(FILES)(
  'each request of docs/requests/%s gets the status that it names, or else succeeds',
  async (file) => {
    const { variables, requests } = readRequests(join(FOLDER, file));
    const { key } = await service.account('pro');
    // What a reader edits.
    expect(variables).toEqual({ host: 'http://localhost:3000/api/v1', key: 'svc_test_…' });
    const given = { host: `${service.url}/api/v1`, key };
    const responses = new Map<string, unknown>();
    const fill = (text: string) => fillIn(text, given, responses);
    for (const { title, name, method, url, headers, body, status } of requests) {
      const response = await fetch(fill(url), {
        method,
        headers: JSON.parse(fill(JSON.stringify(headers))) as Record<string, string>,
        body: body === undefined ? undefined : fill(body),
      });
      const text = await response.text();
      const got = status === null && response.ok ? null : response.status;
      expect([title, got, text]).toEqual([title, status, text]);
      expect([title, response.headers.get('x-ignored')]).toEqual([title, null]);
      if (name) responses.set(name, JSON.parse(text));
      if (response.status === 202) await ended(response.headers.get('location')!, key);
    }
  },
  60_000,
);

/** A reader takes longer to send the next request than a small import takes. */
const ended = (location: string, key: string) =>
  eventually(async () => {
    const response = await fetch(new URL(location, service.url), {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { data } = (await response.json()) as { data: { state: string } };
    expect(data.state).toBe('completed');
  }, 30_000);
