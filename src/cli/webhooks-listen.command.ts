import { Command } from 'commander';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { styleText } from 'node:util';
import { verifySignature } from '../webhooks/sending/signature';
import { integer } from './command';
import type { Output } from './output';

/** More than any of our events has. */
const LONGEST = 1_048_576;

/** A receiver for your own machine: prints and verifies what arrives. */
export function listenCommand(output: Output): Command {
  return new Command('listen')
    .description('receive events on this machine, print them and check their signatures')
    .option('--port <port>', 'port to listen on', integer(0, 65_535), 4000)
    .option('--secret <secret>', 'the signing secret of the endpoint, to check signatures with')
    .option(
      '--status <code>',
      'what to respond, to see failures and retries',
      integer(200, 599),
      200,
    )
    .action(
      (options: { port: number; secret?: string; status: number }) =>
        new Promise<void>((resolve) => {
          const server = createServer((request, response) => {
            void read(request).then((body) => {
              print(output, request, body, options);
              response
                .writeHead(options.status, { 'Content-Type': 'text/plain' })
                .end('received\n');
            });
          });
          server.once('error', (error: NodeJS.ErrnoException) => {
            output.failure(
              error.code === 'EADDRINUSE'
                ? new PortTaken(`Port ${options.port} is taken: choose another with --port.`)
                : error,
            );
            resolve();
          });
          server.listen(options.port, '127.0.0.1', () => {
            const { port } = server.address() as AddressInfo;
            output.note(
              `Listening on http://localhost:${port}, responding with ${options.status}. Press Ctrl-C to stop.\n\n` +
                'Both the service and this command line need WEBHOOK_ALLOW_INSECURE=true for it:\n' +
                `npm run -s quizctl -- webhooks add --account EMAIL --url http://localhost:${port} --events quiz.created\n` +
                (options.secret ? '' : '\nWith --secret whsec_… signatures are checked as well.\n'),
            );
          });
          const stop = () => {
            server.close(() => resolve());
            server.closeAllConnections();
          };
          process.once('SIGINT', stop).once('SIGTERM', stop);
        }),
    );
}

class PortTaken extends Error {
  // A message for people: no stack is wanted.
  override stack = undefined;
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= LONGEST) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function print(
  output: Output,
  { headers }: IncomingMessage,
  body: Buffer,
  { secret }: { secret?: string },
): void {
  const event = String(headers['x-service-event'] ?? 'no event');
  const signature = headers['x-service-signature'];
  const verified =
    secret === undefined
      ? null
      : verifySignature(body, typeof signature === 'string' ? signature : undefined, secret);
  if (output.json) {
    // One JSON value per line, as they arrive: the only command whose result has no end.
    const delivery = headers['x-service-delivery'];
    process.stdout.write(
      `${JSON.stringify({ event, delivery, verified, headers, body: body.toString() })}\n`,
    );
    return;
  }
  const colour = (style: 'green' | 'red' | 'bold' | 'dim', text: string) =>
    process.stdout.isTTY ? styleText(style, text) : text;
  const verdict =
    verified === null
      ? colour('dim', 'signature not checked')
      : verified
        ? colour('green', '✓ signature verified')
        : colour('red', '✗ signature does not match');
  process.stdout.write(
    `${new Date().toISOString().slice(11, 19)}  ${colour('bold', event)}  ${verdict}\n${pretty(body)}\n\n`,
  );
}

function pretty(body: Buffer): string {
  try {
    return JSON.stringify(JSON.parse(body.toString()), null, 2);
  } catch {
    return JSON.stringify(body.toString());
  }
}
