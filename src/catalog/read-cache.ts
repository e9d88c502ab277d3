import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { viewerOf, NOBODY, type Caller } from '../access/api-keys/api-key.guard';
import { ContentChanges } from '../platform/database/content-changes';
import { queryPrepared } from '../platform/database/data-source';
import { IGNORED } from '../platform/http/request/ignored-names';
import type { ConstantText, Keep } from '../platform/http/server/text-response';
import { LIMITS } from '../platform/limits/limits';

/** A response that was sent a moment ago, and is sent again until content changes. */
export interface CachedResponse {
  body: ConstantText;
  /** The route that made it, for metrics. */
  route: unknown;
  /** `Cache-Control` of a response that needs no key. */
  open: string | null;
}

/** Beside its body: the URL, headers and compressed forms, roughly. */
const ENTRY_BYTES = 1_000;
const LONGEST_URL = 1_000;
/** Accounts of which it is known whether they own a quiz: about 1 MiB. */
const ACCOUNTS = 10_000;

/**
 * Responses of the catalog by URL and by what the caller sees, so that a repeated read needs no database. A handler
 * begins a response before it reads anything; it is stored only if no content has changed until it is sent, and any
 * change drops all of them. So a stored response is what a read at this moment would return.
 *
 * The account in the key is the one that the statements ran for, and accounts without quizzes run them for nobody and
 * share the response. Whether an account has quizzes may be outdated; what a response shows cannot be: a draft is in no
 * response for nobody.
 */
@Injectable()
export class ReadCache {
  private readonly responses = new Map<string, CachedResponse>();
  private readonly owners = new Map<string, boolean>();
  private bytes = 0;
  private revision = -1;

  constructor(
    private readonly changes: ContentChanges,
    private readonly database: DataSource,
  ) {
    changes.onOwner = (accountId) =>
      accountId === null ? this.owners.clear() : this.owners.delete(accountId);
  }

  /** @param caller null for a read without a key */
  find(caller: Caller | null, url: string): CachedResponse | undefined {
    if (!this.changes.isCurrent) return undefined;
    if (this.revision !== this.changes.revision) this.clear();
    if (!caller) return this.responses.get(url);
    const viewer = this.knownViewer(caller);
    return viewer === undefined ? undefined : this.responses.get(keyOf(viewer, caller, url));
  }

  /**
   * Lets the response be stored when it is sent. Call it before reading anything.
   * @returns the account whose view is to be read
   */
  async begin(response: Response, caller: Caller): Promise<string> {
    if (!this.changes.isCurrent) return viewerOf(caller);
    const { revision } = this.changes;
    const viewer = this.knownViewer(caller) ?? (await this.findViewer(caller));
    this.keep(response, revision, keyOf(viewer, caller, response.req.originalUrl), null);
    return viewer;
  }

  /** The same for a response that needs no key. @param open its `Cache-Control` */
  beginOpen(response: Response, open: string): void {
    if (this.changes.isCurrent)
      this.keep(response, this.changes.revision, response.req.originalUrl, open);
  }

  private keep(response: Response, revision: number, key: string, open: string | null): void {
    const { route } = response.req as { route: unknown };
    const keep: Keep = (body) => {
      // Something has changed since it was begun, its URL contains a key, or it has a header of its own (X-Ignored).
      if (response.hasHeader(IGNORED)) return;
      if (revision !== this.changes.revision) return;
      if (response.getHeader('Cache-Control') === 'no-store' || key.length > LONGEST_URL) return;
      this.store(key, { body, route, open });
    };
    (response.locals as { keep?: Keep }).keep = keep;
  }

  private store(key: string, stored: CachedResponse): void {
    if (this.revision !== this.changes.revision) this.clear();
    this.drop(key);
    this.responses.set(key, stored);
    this.bytes += ENTRY_BYTES + stored.body.length;
    while (this.bytes > LIMITS.requests.cachedBytes.value) {
      const [oldest = ''] = this.responses.keys();
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    const before = this.responses.get(key);
    if (!before) return;
    this.responses.delete(key);
    this.bytes -= ENTRY_BYTES + before.body.length;
  }

  private clear(): void {
    this.responses.clear();
    this.bytes = 0;
    this.revision = this.changes.revision;
  }

  private knownViewer(caller: Caller): string | undefined {
    const viewer = viewerOf(caller);
    if (viewer === NOBODY) return NOBODY;
    const isOwner = this.owners.get(viewer);
    return isOwner === undefined ? undefined : isOwner ? viewer : NOBODY;
  }

  private async findViewer({ accountId }: Caller): Promise<string> {
    const { revision } = this.changes;
    const [row] = await queryPrepared<[{ owns: boolean }]>(this.database.manager, OWNS_QUIZZES, [
      accountId,
    ]);
    if (revision === this.changes.revision) {
      if (this.owners.size >= ACCOUNTS) this.owners.clear();
      this.owners.set(accountId, row.owns);
    }
    return row.owns ? accountId : NOBODY;
  }
}

/** Scopes decide too: a key that may only play sees less of the same URL. */
const keyOf = (viewer: string, { scopes }: Caller, url: string) =>
  `${viewer} ${scopes.join()} ${url}`;

const OWNS_QUIZZES = `SELECT EXISTS (SELECT FROM quizzes WHERE owner_id = $1) AS owns`;
