import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { IMPORTS, SMALL_IMPORTS } from '../../../platform/queue/queue-names';
import { type QueuePart, QueueState } from '../../../platform/queue/queue-state';

/** The row of the import says everything else. */
export interface ImportJob {
  importId: string;
}

/**
 * The two queues of imports. A provider without slow dependencies: its constructor attaches the error listeners before the
 * first connection error, which BullMQ would otherwise write to the console.
 */
@Injectable()
export class ImportQueues {
  readonly state: QueuePart;

  constructor(
    @InjectQueue(IMPORTS) readonly imports: Queue<ImportJob>,
    @InjectQueue(SMALL_IMPORTS) readonly small: Queue<ImportJob>,
    queueState: QueueState,
  ) {
    this.state = queueState.part(imports, small);
  }
}
