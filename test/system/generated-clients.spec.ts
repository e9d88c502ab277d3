import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Service, startService } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';

/**
 * Clients that common generators make of the served document. The generators are a package of their own: install them with
 * `npm ci --ignore-scripts` in test/generators.
 */

const folder = join(__dirname, '../generators');
const isInstalled = existsSync(join(folder, 'node_modules'));
// The gate has installed them: without them it must fail.
const describeGenerators = isInstalled || process.env.CI ? describe : describe.skip;

const execute = promisify(execFile);

/** @returns what it printed */
async function run(command: string, options: string[], env: Record<string, string> = {}) {
  try {
    const all = { ...process.env, ...env };
    return (await execute(command, options, { cwd: folder, env: all })).stdout;
  } catch (error) {
    // Compilers report on stdout, which the error's message leaves out.
    const { message, stdout } = error as { message: string; stdout: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}

describeGenerators('generated clients', () => {
  let service: Service;
  let worker: { close(): Promise<void> };
  beforeAll(async () => {
    service = await startService();
    worker = await startWorkerBeside(service);
    for (const made of ['generated', 'dist'])
      rmSync(join(folder, made), { recursive: true, force: true });
  });
  afterAll(async () => {
    await worker.close();
    await service.close();
  });

  let made: Promise<void> | undefined;
  /** Once for all tests: it takes longest. */
  const makeClients = () =>
    (made ??= (async () => {
      await run('npm', ['run', '-s', 'generate'], { SERVICE_URL: service.url });
      await run('npm', ['run', '-s', 'build']);
    })());

  test('clients of openapi-typescript, oazapfts and orval compile with strict', async () => {
    await makeClients();
  }, 240_000);

  test.each(['openapi-typescript', 'oazapfts', 'orval'])(
    'a client of %s lists, creates, adds a batch, edits with If-Match and uploads an import that completes',
    async (name) => {
      await makeClients();
      const { key } = await service.account('pro');
      const output = await run(process.execPath, ['dist/journey.js', name, service.url, key]);
      expect(JSON.parse(output)).toEqual({
        list: [`Lakes with ${name}`],
        batch: 1,
        current: 200,
        stale: 412,
        upload: { state: 'completed', imported: 2 },
      });
    },
    240_000,
  );
});
