import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import request from 'supertest';
import { ensureBuilt } from '../support/ensure-built';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService } from '../support/service';

/** The client as the service offers it, imported by its name from plain JavaScript, in a process of its own. */

const run = promisify(execFile);
const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'quiz-client-'));
beforeAll(() => ensureBuilt(), 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('the service offers the package as a gzip file that is cacheable, revalidates with 304 and is not compressed again', async () => {
  const service = await startService();
  try {
    const page = () => request(service.url).get('/clients/typescript.tgz');
    const { headers, body } = await page()
      .responseType('blob')
      .set('Accept-Encoding', 'br, gzip')
      .expect(200);
    expect(headers).toMatchObject({
      'content-type': 'application/gzip',
      'cache-control': 'public, max-age=60',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(gunzipSync(body as Buffer).toString('latin1')).toMatch(/^package\//);
    await page()
      .set('If-None-Match', headers.etag ?? '')
      .expect(304);
    await request(service.url).head('/clients/typescript.tgz').expect(200);
  } finally {
    await service.close();
  }
}, 120_000);

describe('the example of the built TypeScript package', () => {
  let service: Service;
  let key: string;
  beforeAll(async () => {
    const installed = join(folder, 'node_modules/@quiz-question-service/client');
    mkdirSync(installed, { recursive: true });
    const archive = join(root, 'dist/clients/typescript.tgz');
    await run('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
    copyFileSync(join(root, 'clients/typescript/example/play.mjs'), join(folder, 'play.mjs'));
    service = await startService({ MODERATION: 'auto' });
    const account = await service.account();
    key = account.key;
    const { body } = await account.post('/quizzes', quizBody()).expect(201);
    await account
      .post(`/quizzes/${body.data.id}/questions/batch`, { questions: questionBodies(3) })
      .expect(201);
  }, 120_000);
  afterAll(() => service.close());

  const play = (args: string[], withKey = key) =>
    run(process.execPath, [join(folder, 'play.mjs'), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, QUIZ_URL: service.url, QUIZ_API_KEY: withKey },
    });

  it('plays a quiz in the terminal and prints the leaderboard', async () => {
    const { stdout } = await play(['--auto', 'rivers', '--player', 'ada']);
    expect(stdout).toContain('Rivers of Europe: 3 questions');
    expect(stdout.match(/Correct!|No: The Danube/g)).toHaveLength(3);
    expect(stdout).toMatch(/The best:\n +1\. ada +[0-3] in \d+ s\n$/);
    await expect(play(['--auto'], 'wrong')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Invalid API key\. \(401, request [\w-]{36}\)\n$/),
    });
  });

  it('ignores spaces around an answer, and ends without a stack when nobody answers any more', async () => {
    const asked = play(['rivers', '--player', 'bob']);
    const { stdin, stdout } = asked.child;
    let shown = '';
    stdout?.on('data', (chunk: string) => {
      shown += chunk;
      if (!chunk.endsWith(' > ')) return;
      if (shown.includes('2. ')) stdin?.end();
      else stdin?.write('  1 \n');
    });
    await expect(asked).rejects.toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/2\. [^>]+> \s*$/),
      stderr: '',
    });
    expect(shown).toMatch(/Correct!|No: The Danube/);
  });
});
