import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, of, tap } from 'rxjs';
import { ContentChanges } from '../platform/database/content-changes';
import { isWrite, ReadYourWrites } from '../platform/database/read-your-writes';
import { ConstantText, JSON_TYPE } from '../platform/http/server/text-response';
import { LIMITS } from '../platform/limits/limits';

const { cachedResponses: MOST, cachedBytes: LONGEST } = LIMITS.requests;

/** A random draw differs each time, and a response to a URL with a key is stored nowhere. */
const NEVER_STORED = ['random', 'api_key', 'apiKey'];

/**
 * Sends responses of the catalog from memory until content changes. It runs after the guards, and before the
 * validation. A response is stored only if nothing has changed since its handler began, and any change drops all of
 * them: what is stored is what a read at this moment would return (docs/adr/0029).
 */
@Injectable()
export class ReadCacheInterceptor implements NestInterceptor {
  private readonly responses = new Map<string, ConstantText>();
  private revision = -1;

  constructor(
    private readonly changes: ContentChanges,
    private readonly writes: ReadYourWrites,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { originalUrl: url, query, caller } = http.getRequest<Request>();
    if (NEVER_STORED.some((name) => name in query)) return next.handle();
    // What another process has changed for this account may not have been notified yet.
    const mayMiss = caller && (await this.writes.mayBeMissing(caller.accountId));
    if (mayMiss || !this.changes.isCurrent) return next.handle();
    const { revision } = this.changes;
    if (this.revision !== revision) this.responses.clear();
    this.revision = revision;
    // Scopes decide too: a key that may only play sees less of the same URL.
    const key = caller ? `${caller.accountId} ${caller.scopes.join()} ${url}` : url;
    const stored = this.responses.get(key);
    if (stored) return of(stored);
    const { locals } = http.getResponse<Response<unknown, { version?: string }>>();
    return next.handle().pipe(
      tap((body: string | Buffer | object) => {
        const text =
          typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
        const isLong = Buffer.byteLength(key) + Buffer.byteLength(text) > LONGEST.value;
        if (revision !== this.changes.revision || isLong) return;
        const [oldest = ''] = this.responses.keys();
        if (this.responses.size >= MOST.value) this.responses.delete(oldest);
        this.responses.set(key, new ConstantText(JSON_TYPE, text, locals.version));
      }),
    );
  }
}

/** Reports every change by this process before its response, so that the next read sees it. */
@Injectable()
export class ContentChangesInterceptor implements NestInterceptor {
  constructor(private readonly changes: ContentChanges) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!isWrite(context.switchToHttp().getRequest<Request>().method)) return next.handle();
    // Also with an error: the connection may have broken after the commit.
    const note = () => this.changes.revision++;
    return next.handle().pipe(tap({ next: note, error: note }));
  }
}
