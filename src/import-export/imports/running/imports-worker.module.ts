import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../../../events/events.module';
import { IMPORTS, SMALL_IMPORTS } from '../../../platform/queue/queue-names';
import { Import } from '../import.entity';
import { ImportsOfDeletedAccounts } from '../imports-of-deleted-accounts.service';
import { ImportDispatcher } from './import-dispatcher.service';
import { ImportFailuresService } from './import-failures.service';
import { ImportHealth } from './import-health.service';
import { ImportQueues } from './import-queues.service';
import { ImportRetention } from './import-retention.service';
import { ImportWorkers } from './import-workers.service';

/** What the worker does for imports: it queues them, and starts the processes in which they run. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Import]),
    EventsModule,
    BullModule.registerQueue({ name: IMPORTS }, { name: SMALL_IMPORTS }),
  ],
  providers: [
    ImportsOfDeletedAccounts,
    ImportQueues,
    ImportDispatcher,
    ImportWorkers,
    ImportFailuresService,
    ImportRetention,
    ImportHealth,
  ],
  exports: [ImportHealth, ImportsOfDeletedAccounts],
})
export class ImportsWorkerModule {}
