import { Module } from '@nestjs/common';
import { IdempotencyService } from './idempotency.service';
import { IdempotencyRetention } from './idempotency-retention';

/** Requests that may be repeated (docs/http.md). */
@Module({
  providers: [IdempotencyService, IdempotencyRetention],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
