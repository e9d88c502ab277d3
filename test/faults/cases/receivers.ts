import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freePort } from '#embedded-postgres';
import { audit, type Expectation } from '../harness/audit';
import type { FaultCase, Suite } from '../harness/case';
import type { Fixture, Subscriber } from '../harness/fixture';
import { type Behaviour, Receiver, refuse } from '../harness/receiver';
import { hold } from '../harness/until';

const EVENTS = 5;
/** Of what takes the whole time-out, four times, and has two slots: a failing endpoint gets no more. */
const FEW = 2;
const ATTEMPTS = 4;

/** The scripts are played by every event on its own: its first POST takes the first step, and so on. */
const play =
  (fixture: Fixture, path: string, ...steps: Behaviour[]): Behaviour =>
  (arrival, response) => {
    const turn = fixture.receiver.at(path).filter((it) => it.id === arrival.id).length;
    steps[Math.min(turn, steps.length) - 1]?.(arrival, response);
  };

const accept: Behaviour = (arrival) => arrival.answer(200);

/** Never comes to an end by itself: the worker has to cut it. */
const endless =
  (go: (response: ServerResponse) => void, status: number): Behaviour =>
  (arrival, response) => {
    arrival.refused = true;
    arrival.status = status;
    go(response);
  };

/** What the attempts came to, all of them alike: `500`, `timeout`, `200 timeout`. */
async function outcomes(fixture: Fixture, it: Subscriber): Promise<string[]> {
  const rows = await fixture.query<{ outcome: string }>(
    `SELECT DISTINCT concat_ws(' ', a.status, a.error) AS outcome
     FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id WHERE d.endpoint_id = $1`,
    [it.endpointId],
  );
  return rows.map(({ outcome }) => outcome).sort();
}

/** A receiver that does always the same, and what must come of it. */
function row(
  when: string,
  steps: Behaviour[],
  outcome: string[],
  expected: Expectation = {},
  further?: (fixture: Fixture, it: Subscriber) => Promise<string>,
  events = EVENTS,
): FaultCase {
  return {
    broken: 'receiver',
    when,
    async run(fixture) {
      const it = await fixture.subscriber();
      fixture.receiver.behave(it.path, play(fixture, it.path, ...steps));
      await fixture.emit(it, events);
      await fixture.settled([it], 60_000);
      const count = await audit(fixture, [it], expected);
      const found = await outcomes(fixture, it);
      hold(
        found.join() === outcome.join(),
        `attempts came to ${found.join()}, not ${outcome.join()}`,
      );
      const posts = expected.status === 'failed' ? ATTEMPTS * events : count.posts;
      hold(count.posts === posts || outcome.includes('410'), `${count.posts} POSTs`);
      const note = (await further?.(fixture, it)) ?? outcome.join(', ');
      return { ...count, note };
    },
  };
}

/** The same for an address where nobody can note what comes. */
function unreachable(when: string, code: string, start: () => Promise<string>): FaultCase {
  return {
    broken: 'receiver',
    when,
    async run(fixture) {
      const it = await fixture.subscriber({ url: await start() });
      await fixture.emit(it, EVENTS);
      await fixture.settled([it]);
      const count = await audit(fixture, [it], { status: 'failed', unseen: true });
      const found = await outcomes(fixture, it);
      hold(found.join() === code, `attempts came to ${found.join()}, not ${code}`);
      return { ...count, note: `${code}, ${ATTEMPTS} attempts each` };
    },
  };
}

const closedPort = async () => `http://127.0.0.1:${await freePort()}/`;

const FIXTURES = join(__dirname, '../fixtures');
const readFixture = (name: string) => readFileSync(join(FIXTURES, name), 'utf8');

/** A receiver over TLS whose certificate is one of the fixtures. */
async function overTls(name: string): Promise<Receiver> {
  return Receiver.start({ key: readFixture('key.pem'), cert: readFixture(`${name}.pem`) });
}

const tls = (when: string, name: string) =>
  unreachable(when, 'tls_error', async () => `${(await overTls(name)).origin}/`);

/**
 * Answers that take their time do so on the receiver's side only. It is counted from the second in which the attempt began,
 * not from its arrival: on a busy machine the way to the receiver alone takes a second.
 */
const late =
  (milliseconds: number, inTime: boolean): Behaviour =>
  (arrival, response) => {
    arrival.refused = !inTime;
    const began = (Number(arrival.headers['webhook-timestamp']) + (inTime ? 0 : 1)) * 1_000;
    setTimeout(
      () => {
        if (inTime) arrival.answer(200);
        else response.writeHead(200).end();
      },
      began + milliseconds - Date.now(),
    );
  };

const UGLY = Buffer.concat([
  Buffer.from('no\0 good \u0007<script>alert(1)</script> '),
  Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x80]),
]);

const FAILED: Expectation = { status: 'failed' };

/** Rows `receiver`: status and schedule as specified, the attempt stored. */
export const receivers: Suite = {
  queues: 'once',
  atOnce: true,
  settings: {
    WEBHOOK_TIMEOUT: '5s',
    NODE_EXTRA_CA_CERTS: join(FIXTURES, 'ca.pem'),
  },
  prepare: async (fixture) => void (await fixture.worker()),
  cases: [
    row('500 four times', [refuse(500)], ['500'], FAILED),
    row('500, then 200', [refuse(500), accept], ['200', '500']),
    row('responds 1 s before the timeout', [late(4_000, true)], ['200']),
    row(
      'responds 1 s after the timeout',
      [late(6_000, false)],
      ['timeout'],
      FAILED,
      undefined,
      FEW,
    ),
    row(
      'NUL, bad UTF-8 and a script in the response',
      [refuse(500, {}, UGLY), (arrival) => arrival.answer(200, {}, UGLY)],
      ['200', '500'],
      {},
      async (fixture, it) => {
        const kept = await fixture.query<{ response: string }>(
          `SELECT DISTINCT a.response FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id
           WHERE d.endpoint_id = $1`,
          [it.endpointId],
        );
        const [first] = kept;
        hold(kept.length === 1 && first, 'the responses were kept differently');
        hold(first.response.includes('<script>alert(1)</script>'), 'the text was not kept');

        hold(!/[\0\x07]/.test(first.response), 'control characters were kept');
        return 'kept as plain text';
      },
    ),
    ...[301, 302, 307, 308].map((status) =>
      row(
        `${status} to another address`,
        [(arrival) => refuse(status, { location: `${arrival.path}-elsewhere` })(arrival)],
        [String(status)],
        FAILED,
        (fixture, it) => {
          hold(fixture.receiver.at(`${it.path}-elsewhere`).length === 0, 'it was followed');
          return Promise.resolve('not followed');
        },
      ),
    ),
    row(
      'resets the connection (RST)',
      [
        (arrival, response) => {
          arrival.refused = true;
          response.socket?.resetAndDestroy();
        },
      ],
      ['connection_reset'],
      { status: 'failed', unseen: true },
    ),
    unreachable('port closed', 'connection_refused', closedPort),
    {
      broken: 'receiver',
      when: 'valid TLS certificate (the control of the next three)',
      async run(fixture) {
        const receiver = await overTls('localhost');
        const it = await fixture.subscriber({ url: `${receiver.origin}/` });
        await fixture.emit(it, EVENTS);
        await fixture.settled([it]);
        hold(receiver.at('/').length === EVENTS, 'it did not arrive');
        return audit(fixture, [it], { unseen: true });
      },
    },
    tls('expired TLS certificate', 'expired'),
    tls('self-signed TLS certificate', 'self-signed'),
    tls('TLS certificate of another host', 'elsewhere'),
    row(
      '410 Gone',
      [refuse(410)],
      ['410'],
      FAILED,
      async (fixture, it) => {
        const [endpoint] = await fixture.query<{ disabled: boolean }>(
          `SELECT disabled_at IS NOT NULL AS disabled FROM webhook_endpoints WHERE id = $1`,
          [it.endpointId],
        );
        hold(endpoint?.disabled, 'the endpoint is not disabled');
        hold(fixture.receiver.at(it.path).length === 1, 'it was tried again');
        return 'not tried again, endpoint disabled';
      },
      // Of several, those that are not under way yet when the first is answered are held.
      1,
    ),
    row(
      '503 with Retry-After: 1, then 200',
      [refuse(503, { 'retry-after': '1' }), accept],
      ['200', '503'],
      {},
      (fixture, it) => {
        const came = fixture.receiver.at(it.path);
        const first = came.filter((arrival) => arrival.refused);
        for (const { id, answeredAt } of first) {
          const again = came.find((arrival) => arrival.id === id && !arrival.refused);
          const waited = (again?.at ?? 0) - (answeredAt ?? 0);
          hold(waited >= 1_000, `it came again after ${waited} ms`);
        }
        return Promise.resolve('never before the second it requests');
      },
    ),
  ],
};

const FLOOD = Buffer.alloc(256 * 1024, 'x');
const TEN_GIGABYTES = 10_000_000_000;
const AT_ONCE = 16;
/** More than garbage between two collections, and nothing beside what is offered. In MiB. */
const FLAT = 64;

/** Writes the same again and again, until the other side has gone. */
function pump(response: ServerResponse, bytes: Buffer): void {
  const write = () => {
    while (!response.destroyed && response.write(bytes));
  };
  response.on('drain', write);
  write();
}

/** A row whose point is what the worker's memory does. */
function greedy(
  when: string,
  start: () => Behaviour,
  outcome: string,
  expected: Expectation,
  events = AT_ONCE,
): FaultCase {
  return {
    broken: 'receiver',
    when,
    async run(fixture) {
      const worker = await fixture.worker();
      const it = await fixture.subscriber();
      fixture.receiver.behave(it.path, start());
      const before = worker.memory();
      let most = before;
      const watch = setInterval(() => (most = Math.max(most, worker.memory())), 50);
      await fixture.emit(it, events);
      await fixture.settled([it], 60_000).finally(() => clearInterval(watch));
      const found = await outcomes(fixture, it);
      hold(found.join() === outcome, `attempts came to ${found.join()}, not ${outcome}`);
      hold(most - before < FLAT, `memory rose from ${before.toFixed(0)} to ${most.toFixed(0)} MiB`);
      const count = await audit(fixture, [it], expected);
      const note = `${outcome}; memory ${before.toFixed(0)} MiB before, ${most.toFixed(0)} at most`;
      return { ...count, note };
    },
  };
}

/** Taken as an answer, though nobody reads it to its end. */
const flooding =
  (headers: Record<string, string | number>, bytes: () => Buffer) => (): Behaviour => {
    const chunk = bytes();
    return (arrival, response) => {
      arrival.status = 200;
      arrival.answeredAt = Date.now();
      response.writeHead(200, headers);
      pump(response, chunk);
    };
  };

/** Bytes of its own making, without end, after the first. */
const raw = (bytes: string, first: string, status: number) => () =>
  endless(({ socket }) => {
    socket?.write(first);
    const write = () => {
      while (socket && !socket.destroyed && socket.write(bytes));
    };
    socket?.on('drain', write);
    write();
  }, status);

/** Rows `receiver` with floods and drips: memory flat, one after the other. */
export const floods: Suite = {
  queues: 'once',
  settings: { WEBHOOK_TIMEOUT: '3s' },
  async prepare(fixture) {
    await fixture.worker();
    // What a worker takes for itself in its first work is no flood's doing.
    const it = await fixture.subscriber();
    await fixture.emit(it, 500);
    await fixture.settled([it]);
  },
  cases: [
    greedy(
      'a response of 10 GB',
      flooding({ 'content-length': TEN_GIGABYTES }, () => FLOOD),
      '200',
      {},
    ),
    greedy(
      'a gzip bomb (100 MB in every 100 kB, without end)',
      flooding({ 'content-encoding': 'gzip' }, () => gzipSync(Buffer.alloc(100_000_000))),
      '200',
      {},
    ),
    greedy(
      'headers without end',
      () =>
        endless((response) => {
          const { socket } = response;
          socket?.write('HTTP/1.1 200 OK\r\n');
          const write = () => {
            while (
              socket &&
              !socket.destroyed &&
              socket.write(`X-Flood: ${'y'.repeat(1_000)}\r\n`)
            );
          };
          socket?.on('drain', write);
          write();
        }, 0),
      'protocol_error',
      { status: 'failed', unseen: true },
    ),
    greedy(
      'early hints without end',
      raw('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50), '', 0),
      'response_too_large',
      { status: 'failed', unseen: true },
    ),
    greedy(
      'a chunk extension without end',
      raw('y'.repeat(4_000), 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 200),
      '200 response_too_large',
      FAILED,
    ),
    greedy(
      'a body of 1 byte a second',
      () =>
        endless((response) => {
          response.writeHead(200).write('x');
          const timer = setInterval(() => response.write('x'), 1_000);
          response.once('close', () => clearInterval(timer));
        }, 200),
      '200 timeout',
      FAILED,
      FEW,
    ),
  ],
};
