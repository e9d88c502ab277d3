import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION } from '../../src/catalog/quizzes/quizzes.dto';
import { ApiDocument } from '../../src/platform/openapi/document/api-document';
import { EXAMPLE_LINK } from '../../src/play/links/quiz-links.dto';
import { type Entry, Reference } from '../../src/web/docs/reference.model';
import { samplesOf } from '../../src/web/docs/samples';
import { ensureBuilt } from '../support/ensure-built';
import { png } from '../support/pictures';
import { questionBodies, quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';

const CSV = 'question,answer_1,answer_2,correct_numbers\nWhere is Vienna?,Austria,Italy,1\n';

const root = join(__dirname, '../..');

/** The samples of the reference, run as a reader would paste them. */
let service: Service;
let account: TestAccount;
let endpoints: Entry[];
let folder: string;
beforeAll(async () => {
  // The service serves the typed client out of dist/.
  ensureBuilt();
  service = await startService({ MODERATION: 'auto', RATE_LIMIT_PER_MINUTE: '1000' });
  account = await service.account('pro');
  const { document } = service.app.get(ApiDocument);
  // The samples share a quiz with one question: those that add others, and those that delete, come last.
  const last = [
    'copyQuestions',
    'importQuestions',
    'deleteWebhook',
    'deleteQuestion',
    'deleteQuiz',
  ];
  endpoints = new Reference(document).entries
    // Those of accounts would delete the one that all samples share.
    .filter(({ isEvent, id }) => !isEvent && !['deleteMe', 'deleteAccount'].includes(id))
    .toSorted((a, b) => last.indexOf(a.id) - last.indexOf(b.id));
  folder = mkdtempSync(join(tmpdir(), 'samples-'));
  writeFileSync(join(folder, 'questions.csv'), CSV);
  writeFileSync(join(folder, 'map.png'), png());
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.close();
});

const isInstalled = (...[command, ...options]: [string, ...string[]]) =>
  spawnSync(command, options).status === 0;
const execute = promisify(execFile);

/** Runs a program where questions.csv is, with the key in KEY. @returns what it printed */
const run = async (command: string, ...options: string[]) => {
  const env = { ...process.env, KEY: account.key, GO111MODULE: 'off' };
  // The samples print whole responses, the OpenAPI document among them.
  const limits = { maxBuffer: 16 * 1024 * 1024 };
  const { stdout, stderr } = await execute(command, options, { cwd: folder, env, ...limits });
  return stdout + stderr;
};

type Samples = Map<string, string>;

const written = (samples: Samples, extension: string) =>
  [...samples].map(([id, code]) => {
    const file = `${id}.${extension}`;
    writeFileSync(join(folder, file), code);
    return file;
  });

/** Runs modules one after the other in one process. */
const runModules = (samples: Samples) => {
  const all = 'for (const file of process.argv.slice(1)) await import(`${process.cwd()}/${file}`);';
  return run(process.execPath, '--input-type=module', '-e', all, ...written(samples, 'mjs'));
};

/** Installs the typed client from the service, with the command of the documentation. */
const install = (command: string) => run('bash', '-c', `${command} --no-audit --no-fund`);

/** Compiles programs with the strictest options, as a reader's project does. */
async function compile(samples: Samples): Promise<void> {
  const options = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
  const target = ['--target', 'es2022', '--module', 'nodenext', '--noEmit', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules/@types')];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const files = written(samples, 'mts');
  await run(process.execPath, compiler, ...options, ...target, ...types, ...files).catch(
    // The compiler reports on stdout, which the error's message leaves out.
    ({ stdout }: { stdout: string }) => Promise.reject(new Error(stdout)),
  );
}

/** Runs the samples of a language one after the other, as few processes as it takes. */
const RUNNERS: Record<string, (samples: Samples) => Promise<string>> = {
  bash: (samples) => {
    const lines = [...samples.values()].map((code) => code.replace('curl', 'curl --fail'));
    return run('bash', '-c', `set -e\n${lines.join('\n')}`);
  },
  javascript: runModules,
  typescript: async (samples: Samples) => {
    await install(/^\/\/ (npm install .*)$/m.exec([...samples.values()].join('\n'))?.[1] ?? '');
    await compile(samples);
    return runModules(samples);
  },
  ...(isInstalled('python3', '--version') && {
    python: (samples: Samples) => {
      const all = 'import runpy, sys\nfor file in sys.argv[1:]: runpy.run_path(file)';
      return run('python3', '-c', all, ...written(samples, 'py'));
    },
  }),
  ...(isInstalled('php', '--version') && {
    php: (samples: Samples) => {
      const all = 'foreach (array_slice($argv, 1) as $file) include $file;';
      return run('php', '-r', all, '--', ...written(samples, 'php'));
    },
  }),
  ...(isInstalled('go', 'version') && {
    go: async (samples: Samples) => {
      const ids = [...samples.keys()];
      const functions = ids.map((id) => samples.get(id)?.replace('func main()', `func ${id}()`));
      const main = `package main\n\nfunc main() {\n${ids.map((id) => `\t${id}()`).join('\n')}\n}\n`;
      const files = new Map(ids.map((id, index) => [id, functions[index] ?? '']));
      return run('go', 'run', ...written(files.set('main', main), 'go'));
    },
  }),
};

const sampleOf = (entry: Entry, language: string) =>
  samplesOf(entry, service.url).find((it) => it.language === language)?.code ?? '';

/** Every sample of a language, with ids that exist in the place of those of the examples. */
async function samplesIn(language: string): Promise<Samples> {
  const quiz = (await account.post('/quizzes', quizBody()).expect(201)).body.data;
  await account.post(`/quizzes/${quiz.id}/questions/batch`, { questions: questionBodies(1) });
  const attempt = (await account.post(`/quizzes/${quiz.id}/attempts`, { player: 'a' }).expect(201))
    .body.data;
  // No worker runs here: imports wait, and one that has ended is undone.
  await service.database.query(`UPDATE imports SET state = 'completed', finished_at = now()`);
  const importFile = async () =>
    (await account.post('/imports').set('Content-Type', 'text/csv').send(CSV).expect(202)).body
      .data;
  const ended = await importFile();
  await service.database.query(`UPDATE imports SET state = 'completed', finished_at = now()`);
  const [question] = attempt.questions;
  const source = await account.post('/quizzes', quizBody()).expect(201);
  const [toCopy] = (
    await account
      .post(`/quizzes/${source.body.data.id}/questions/batch`, { questions: questionBodies(1) })
      .expect(201)
  ).body.data.questions;
  // Only a rejected quiz is sent to review again, and only a failed delivery is retried.
  await service.database.query(
    `UPDATE quizzes SET approval = 'rejected', rejection_reason = 'No.' WHERE id = $1`,
    [quiz.id],
  );
  const link = (await account.post(`/quizzes/${quiz.id}/links`, {}).expect(201)).body.data;
  const endpoint = { url: 'https://hooks.example.com/quiz', events: ['quiz.created'] };
  const webhook = (await account.post('/webhooks', endpoint).expect(201)).body.data;
  const [delivery] = await service.database.query<[{ id: string }]>(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, event, status, created_at, finished_at)
     SELECT gen_random_uuid(), id, $1, name, 'failed', now(), now() FROM outbox_events LIMIT 1 RETURNING id`,
    [webhook.id],
  );
  const ids: Record<string, string> = {
    quizzes: quiz.id,
    attempts: attempt.id,
    questions: question.id,
    webhooks: webhook.id,
    deliveries: delivery.id,
    imports: (await importFile()).id,
  };
  return new Map(
    endpoints.map((entry) => {
      const code = sampleOf(entry, language);
      const { operation, path } = entry;
      const example = operation.parameters?.find((it) => it.in === 'path')?.schema.examples?.[0];
      return [
        entry.id,
        code
          .replaceAll(
            String(example),
            entry.id === 'undoImport' ? ended.id : (ids[path.split('/')[3] ?? ''] ?? ''),
          )
          .replaceAll(EXAMPLE_LINK, link.id)
          .replaceAll(EXAMPLE_QUESTION, entry.id === 'copyQuestions' ? toCopy.id : question.id)
          .replaceAll(EXAMPLE_ANSWERS[0], question.answers[0].id),
      ];
    }),
  );
}

const LANGUAGES = ['bash', 'javascript', 'typescript', 'python', 'go', 'php'];
const notInstalled = LANGUAGES.filter((language) => !(language in RUNNERS));

describe('samples of the reference', () => {
  for (const language of notInstalled)
    test.skip(`the ${language} sample of every endpoint succeeds (not installed)`, () => undefined);

  test.each(Object.entries(RUNNERS))(
    'the %s sample of every endpoint succeeds',
    async (language, runAll) => {
      rmSync(join(folder, 'quizzes.zip'), { force: true });
      const output = await runAll(await samplesIn(language));
      expect(output).toContain('Rivers of Europe');
      expect(output).not.toMatch(/"success":false|Warning: file_get_contents/);
      const archive = readFileSync(join(folder, 'quizzes.zip'));
      expect(archive.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
    },
  );

  test('the commands and programs of the page TypeScript client succeed', async () => {
    const text = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8')
      .split('\n## Development\n')[0]
      ?.replaceAll('http://localhost:3000', service.url)
      .replaceAll('QUIZ_API_KEY', 'KEY');
    const blocks = (language: string) =>
      [...(text ?? '').matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``, 'g'))].map(
        ([, code = '']) => code,
      );
    for (const command of blocks('sh')) await install(command);
    const [tour = '', ...others] = blocks('ts');
    const client = /^import \{ QuizClient[^]*?\n\}\);\n/m.exec(tour)?.[0] ?? '';
    const programs = new Map(
      [tour, ...others].map((code, index) => [
        `page${index}`,
        code.includes('new QuizClient') || !/\bclient\./.test(code) ? code : `${client}${code}`,
      ]),
    );
    expect(programs.size).toBeGreaterThan(4);
    await compile(programs);
    // A receiver runs until it is stopped.
    for (const [id, code] of programs) if (code.includes('.listen(')) programs.delete(id);
    expect(await runModules(programs)).toContain('title title must not be blank blank');
  });

  describe.each(LANGUAGES)('in %s', (language) => {
    let samples: [id: string, code: string][];
    beforeAll(() => {
      samples = endpoints.map((entry) => [entry.id, sampleOf(entry, language)]);
    });

    test('only the sample of the account export writes a ZIP file', () => {
      const writing = samples.filter(([, code]) => code.includes('quizzes.zip'));
      expect(writing.map(([id]) => id)).toEqual(['exportAccount']);
    });

    test('the sample of every endpoint has a text in each of its places', () => {
      for (const [id, code] of samples)
        expect([id, code]).toEqual([id, expect.not.stringMatching(/^$|undefined|\[object/)]);
    });
  });
});
