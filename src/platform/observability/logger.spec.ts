import { StartupError } from '../errors/domain-errors';
import { createLogger, errorForLog, NestLogger } from './logger';

function lines() {
  const written: string[] = [];
  const logger = createLogger('info', { write: (line) => void written.push(line) });
  const parsed = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, parsed };
}

it('a log entry is one line of JSON, whatever it contains', () => {
  const { logger, parsed } = lines();
  logger.info({ url: '/\n{"level":60}\u2028\u001b[31m' }, 'request\nforged');
  expect(parsed()).toEqual([
    expect.objectContaining({ level: 30, url: '/\n{"level":60}\u2028\u001b[31m' }),
  ]);
});

it('the logger drops entries below its level', () => {
  const { logger, parsed } = lines();
  logger.debug('quiet');
  new NestLogger(logger).log('InstanceLoader');
  expect(parsed()).toEqual([]);
});

it('an error that ends a start, which the process prints as one sentence, is not logged by Nest as well', () => {
  const { logger, parsed } = lines();
  new NestLogger(logger).error(new StartupError('The clock is wrong.'));
  new NestLogger(logger).error(new Error('a bug'));
  expect(parsed()).toEqual([expect.objectContaining({ level: 50, msg: 'Error: a bug' })]);
});

it("a logged error has its message and stack, without the driver's internals", () => {
  const error = Object.assign(new Error('duplicate key value'), {
    code: '23505',
    constraint: 'accounts_email_key',
    query: 'INSERT INTO accounts …',
    parameters: ['somebody@example.com', Buffer.from('hash')],
    client: { secretKey: 4711 },
    driverError: new Error('the same again'),
    detail: 'Key (email_key)=(somebody@example.com) already exists.',
  });
  const { logger, parsed } = lines();
  logger.error({ err: error }, 'request failed');
  const { err } = parsed()[0] as { err: Record<string, unknown> };
  expect(Object.keys(err)).toEqual(['type', 'message', 'stack', 'code', 'constraint', 'query']);
  expect(JSON.stringify(err)).not.toMatch(/somebody|4711|the same again/);
});

it('a logged error includes its causes and aggregated errors', () => {
  const cause = new Error('socket closed');
  expect(errorForLog(new Error('cannot send', { cause }))).toMatchObject({
    message: 'cannot send',
    cause: { message: 'socket closed' },
  });
  const both = new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]);
  expect(errorForLog(both)).toMatchObject({
    type: 'AggregateError',
    errors: ['Error: ::1 refused', 'Error: 127.0.0.1 refused'],
  });
  expect(errorForLog('text that was thrown')).toEqual({ message: 'text that was thrown' });
});

it('of errors that cause each other, each is logged once', () => {
  const first = new Error('first');
  const second = new Error('second', { cause: first });
  first.cause = second;
  expect(JSON.stringify(errorForLog(first)).match(/"message":"\w+"/g)).toEqual([
    '"message":"first"',
    '"message":"second"',
  ]);
});
