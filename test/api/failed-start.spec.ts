import { NestApplicationContext } from '@nestjs/core';
import { startApi } from '../../src/app/start-api';
import { loadConfig } from '../../src/platform/config/config';
import { createLogger } from '../../src/platform/observability/logger';
import { startService } from '../support/service';

/** In test/system/start.spec.ts processes print why they do not start. */
it('a start that fails reports its own error, and logs that what it had opened could not be closed', async () => {
  const service = await startService();
  const closing = jest.spyOn(NestApplicationContext.prototype, 'close');
  try {
    const { port } = new URL(service.url);
    const config = loadConfig({ DATABASE_URL: service.databaseUrl, PORT: port });
    const log: string[] = [];
    const logger = createLogger('error', { write: (line) => void log.push(line) });
    closing.mockImplementationOnce(async function (this: NestApplicationContext) {
      await this.close();
      throw new Error('a queue is gone');
    });
    const start = startApi(config, logger, new AbortController().signal);
    await expect(start).rejects.toThrow('EADDRINUSE');
    expect(log).toEqual([expect.stringContaining('a queue is gone')]);
  } finally {
    closing.mockRestore();
    await service.close();
  }
});
