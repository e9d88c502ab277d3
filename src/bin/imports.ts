import '../platform/process/small-heap';
import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import type { Config } from '../platform/config/config';
import { ImportsWorkerModule, ImportWorker } from '../import-export/imports/running/import-worker';
import type { ImportProcessReport } from '../app/import-process';
import type { Logger } from '../platform/observability/logger';
import { PlatformModule } from '../platform/platform.module';
import { runProcess, type RunningProcess } from '../platform/process/process';
import { startContext } from '../platform/process/start-context';

/** The import process. The worker starts it (app/import-process.ts) and reads its reports. */
async function startImports(config: Config, logger: Logger): Promise<RunningProcess> {
  // When memory runs out, Linux kills this process first. Other systems have no such file.
  await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
  const { context, stop } = await startContext(config, logger, (parts) => ({
    module: class ImportsModule {},
    imports: [PlatformModule.register(parts), ImportsWorkerModule],
  }));
  const worker = context.get(ImportWorker, { strict: false });
  const report = () => {
    const report: ImportProcessReport = {
      progressAge: worker.progressAge,
      memory: process.memoryUsage.rss(),
    };
    // A worker that has just exited does not read it, which is not an error.
    process.send?.(report, undefined, undefined, () => undefined);
  };
  setInterval(report, 1_000).unref();
  return { stop };
}

runProcess('imports', startImports);
