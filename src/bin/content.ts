import '../platform/process/small-heap';
import 'reflect-metadata';
import { AccessModule } from '../access/access.module';
import { RegistrationService } from '../access/administration/registration.service';
import type { Config } from '../platform/config/config';
import type { Logger } from '../platform/observability/logger';
import { PlatformModule, type PlatformParts } from '../platform/platform.module';
import { runProcess } from '../platform/process/process';
import { startContext } from '../platform/process/start-context';
import { DemoAccountService } from '../seed/demo-account.service';
import { SeedModule } from '../seed/seed.module';
import { SeedService } from '../seed/seed.service';
import type { StartContent } from './dev';

/**
 * Prepares the starter catalogue in an empty database, the link for its first administrator and, outside production,
 * the demo key. A process of its own, which `npm start` ends then: its modules need 50 MB.
 */
async function prepareContent(config: Config, logger: Logger, signal: AbortSignal) {
  const register = (parts: PlatformParts) => ({
    module: class ContentModule {},
    imports: [PlatformModule.register(parts), AccessModule, SeedModule],
  });
  const { context, stop } = await startContext(config, logger, register, { signal });
  const content: StartContent = {
    added: await context.get(SeedService).fill(),
    demoKey: config.production ? null : await context.get(DemoAccountService).key(),
    setUpToken: await context.get(RegistrationService).newSetUpToken(),
  };
  return { stop, ready: { content } };
}

runProcess('content', prepareContent);
