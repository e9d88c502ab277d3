import { accounts, attempts } from './account-limits';
import { content, storage } from './content-limits';
import { imports } from './import-limits';

/**
 * The one table of limits: everything that grows or costs stands here, and the code that enforces a limit
 * reads its value from here. `npm run limits` writes docs/limits.md from it; limits.spec.ts compares the two and
 * checks that the test named for each limit exists.
 */
export interface Limit {
  readonly value: number;
  /** What is counted: "questions", "characters", "bytes", "ms". */
  readonly unit: string;
  /** What is bounded, as a noun phrase: "Questions in a quiz". */
  readonly what: string;
  /** Whose use is counted: "quiz", "account", "client address", "process". */
  readonly per: string;
  /** What a client sees beyond it: "422 that names the limit". */
  readonly beyond: string;
  /** The setting that changes it, if there is one. */
  readonly setting?: string;
  /** The test that shows it, as `path › title`. */
  readonly test: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;

const connections = {
  perAddress: {
    value: 256,
    unit: 'connections',
    what: 'Open connections (proxies of `TRUST_PROXY` have no such limit)',
    per: 'client address, IPv6 by /64',
    beyond: 'further connections are closed',
    test: 'test/api/connections.spec.ts › connections beyond 256 from one address are closed, and other addresses are served',
  },
  perProcess: {
    // Fits into 4,096 file descriptors beside the database's connections.
    value: 3_500,
    unit: 'connections',
    what: 'Open connections',
    per: 'API process',
    beyond: 'further connections are closed',
    test: 'test/api/connections.spec.ts › the server has a limit on connections',
  },
  pipelined: {
    value: 16,
    unit: 'requests',
    what: 'Requests sent ahead of their responses',
    per: 'connection',
    beyond: 'the connection is closed',
    test: 'test/api/connections.spec.ts › a client that pipelines 1,000 requests gets 16 responses and is disconnected',
  },
  headersWithin: {
    value: 15_000,
    unit: 'ms',
    what: 'Time for the headers of a request to arrive',
    per: 'request',
    beyond: '408, then the connection is closed',
    test: 'test/api/connections.spec.ts › a client that sends nothing and never closes is disconnected',
  },
  bodyWithin: {
    value: 30_000,
    unit: 'ms',
    what: 'Time for a body to arrive; for the next 32 KiB of an uploaded file',
    per: 'request',
    beyond: '408, then the connection is closed',
    test: 'test/api/body-time.spec.ts › a body on any other route is cut off after 30 seconds',
  },
  uploadWithin: {
    value: 30 * 60_000,
    unit: 'ms',
    what: 'Time for a whole uploaded file to arrive',
    per: 'request',
    beyond: '408, then the connection is closed',
    test: 'test/api/body-time.spec.ts › an upload is cut off after 30 minutes',
  },
  unread: {
    value: 60_000,
    unit: 'ms',
    what: 'Time in which a client reads nothing of a response',
    per: 'connection',
    beyond: 'the connection is closed',
    test: 'test/api/connections.spec.ts › a client that does not read its response is disconnected',
  },
} as const satisfies Record<string, Limit>;

const load = {
  eventLoopLag: {
    value: 250,
    unit: 'ms',
    what: 'Time that the event loop may be late before requests are refused, without /health/*',
    per: 'API process',
    beyond: '503 with `Retry-After`, before anything of the request is done',
    test: 'test/api/load-shedding.spec.ts › requests are refused with 503 while the event loop is late',
  },
} as const satisfies Record<string, Limit>;

const requests = {
  perMinute: {
    value: 60,
    unit: 'requests',
    what: 'Requests below /api/v1, failed ones included',
    per: 'client address (IPv6 by /64) in any 60 seconds',
    beyond: '429 with `Retry-After`',
    setting: 'RATE_LIMIT_PER_MINUTE',
    test: 'test/api/rate-limit.spec.ts › an address has 60 requests a minute by default, whatever their status, then gets 429',
  },
  pagesPerMinute: {
    // Times the limit of the API. A class of 100 that plays from one address makes about 1,200 requests a minute.
    value: 30,
    unit: 'times the limit of /api/v1',
    what: 'Pages and files outside /api/v1, without /health/*',
    per: 'client address (IPv6 by /64) in any 60 seconds',
    beyond: '429 with `Retry-After`: a page, or JSON for clients that ask for it',
    test: 'test/api/rate-limit.spec.ts › pages have a budget of their own',
  },
  pagesPerSecond: {
    value: 200,
    unit: 'requests',
    what: 'Pages and files outside /api/v1 at once',
    per: 'client address in a second',
    beyond: '429 with `Retry-After: 1`',
    test: 'test/api/rate-limit.spec.ts › more than 200 pages within a second are refused until the next second',
  },
  refusedAfter: {
    // A client that ignores 429 sends again at once: 200 connections made 5,000 requests a second, and everybody
    // else's took 120 ms instead of 3.
    value: 500,
    unit: 'ms',
    what: 'Delay of a refusal: of each page, and below /api/v1 of those beyond twice the limit',
    per: 'refused request',
    beyond: '429 after this time',
    test: 'test/api/rate-limit.spec.ts › an address that continues after as many refusals as its limit waits for each further one',
  },
  underWay: {
    // Of the ten connections to the database that a process has.
    value: 4,
    unit: 'requests',
    what: 'Requests under way at a time, without uploads and /health/*',
    per: 'API process and account, or client address where there is no key',
    beyond: 'further ones wait for their turn',
    test: 'test/api/turns.spec.ts › a client whose requests hang leaves connections to the database for others',
  },
  slow: {
    value: 50,
    unit: 'ms',
    what: 'A request that takes longer: the client has one at a time until a quicker one',
    per: 'API process and account, or client address where there is no key',
    beyond: 'further ones wait for their turn',
    test: 'test/api/turns.spec.ts › after a slow request the service works on one request of the client at a time',
  },
  waiting: {
    value: 200,
    unit: 'requests',
    what: 'Requests that wait for their turn',
    per: 'API process and account, or client address where there is no key',
    beyond: '429 with `Retry-After: 1`',
    test: 'test/api/turns.spec.ts › beyond 200 requests that wait for their turn further ones are refused',
  },
  bodyBytes: {
    value: MIB,
    unit: 'bytes',
    what: 'JSON body',
    per: 'request',
    beyond: '413',
    test: 'test/api/request-body.spec.ts › a body of 1 MiB is read, and one byte more gets 413',
  },
  bodyDepth: {
    value: 32,
    unit: 'levels',
    what: 'Nesting of a JSON body',
    per: 'request',
    beyond: '400',
    test: 'test/api/request-body.spec.ts › a body nested 32 levels is read, and 33 or 100,000 levels are refused',
  },
  bodyValues: {
    value: 10_000,
    unit: 'values',
    what: 'Values in a JSON body',
    per: 'request',
    beyond: '413',
    test: 'test/api/http-edges.spec.ts › a body with more than 10,000 values gets 413',
  },
  listItems: {
    value: 20,
    unit: 'values',
    what: 'Values of one list parameter (`tags`, `category`)',
    per: 'request',
    beyond: '400 that names the limit',
    test: 'test/api/query-lists.spec.ts › lists of 20 different values are read, of 21 refused',
  },
} as const satisfies Record<string, Limit>;

const accountShare = {
  unit: 'attempts under way',
  per: 'account and worker',
  beyond: 'its further deliveries wait',
  test: 'test/stress/webhook-isolation.spec.ts › an account has at most its share of concurrent first attempts, in turn between its endpoints',
} as const;

const webhooks = {
  accountFirstAttempts: { ...accountShare, value: 32, what: 'First attempts at deliveries' },
  accountSlow: {
    ...accountShare,
    value: 16,
    what: 'First attempts at deliveries to slow endpoints',
  },
  accountRetries: { ...accountShare, value: 16, what: 'Retries of deliveries' },
  responseBytes: {
    value: 64 * KIB,
    unit: 'bytes',
    what: "Raw bytes of a receiver's response",
    per: 'delivery attempt',
    beyond: 'the attempt fails with `response_too_large`',
    test: 'test/api/webhook-sender.spec.ts › a response without end %s ends at once',
  },
} as const satisfies Record<string, Limit>;

/** Limits by subject: `LIMITS.requests.bodyBytes.value`. Each subject becomes a section of docs/limits.md. */
export const LIMITS = {
  imports,
  connections,
  load,
  requests,
  webhooks,
  content,
  attempts,
  accounts,
  storage,
} as const satisfies Record<string, Record<string, Limit>>;
