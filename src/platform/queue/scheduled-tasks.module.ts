import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { QueueMetrics } from './queue-metrics';
import { SCHEDULED_TASKS } from './queue-names';
import { ScheduledTasks } from './scheduled-tasks.processor';

/** Runs the methods that are `@Scheduled`, and measures every queue of the process. */
@Module({
  imports: [DiscoveryModule, BullModule.registerQueue({ name: SCHEDULED_TASKS })],
  providers: [ScheduledTasks, QueueMetrics],
})
export class ScheduledTasksModule {}
