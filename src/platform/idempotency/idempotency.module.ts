import { Module } from '@nestjs/common';
import { IdempotencyRetention } from './idempotency-retention';
import { IdempotencyService } from './idempotency.service';

/** Requests that may be repeated (docs/http.md). */
@Module({
  providers: [IdempotencyService, IdempotencyRetention],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
