import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { styleText } from 'node:util';
import { StartupError } from '../platform/errors/domain-errors';
import { MEBIBYTE } from '../platform/sizes';
import { verifySignature } from '../webhooks/deliveries/signature';
import { type Output, plain, plainLines } from './output';

/** More than any of our events has. */
const LONGEST = MEBIBYTE;

/** What it responds to GET: how `isListening` tells it from other programs. */
const GREETING = 'quizctl webhooks listen';

/** Receives deliveries on this machine, and prints each with the verdict about its signature. */
export class WebhookListener {
  received = 0;
  verified = 0;
  /** Signatures are not checked without it. */
  secret: string | undefined;

  private constructor(
    private readonly output: Output,
    private readonly server: Server,
  ) {}

  /**
   * @param options without `port`: PREFERRED_PORT, or any free one if that is taken
   * @throws StartupError if the port is taken
   */
  static async start(output: Output, options: { port?: number; status: number }) {
    const server = createServer();
    await listen(server, options.port);
    const listener = new WebhookListener(output, server);
    server.on('request', (request, response) => {
      if (request.method === 'GET') {
        response.end(GREETING);
        return;
      }
      read(request).then(
        (body) => {
          listener.print(request, body);
          response.writeHead(options.status, { 'Content-Type': 'text/plain' }).end('received\n');
        },
        // The sender has closed the connection: there is nobody to respond to.
        () => undefined,
      );
    });
    return listener;
  }

  get origin(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private print({ headers }: IncomingMessage, body: Buffer): void {
    const event = String(headers['x-service-event'] ?? 'no event');
    const signature = headers['x-service-signature'];
    const verified =
      this.secret === undefined
        ? null
        : verifySignature(body, typeof signature === 'string' ? signature : undefined, this.secret);
    this.received++;
    if (verified) this.verified++;
    if (this.output.json) {
      // One JSON value per line, as they arrive: the only command whose result has no end.
      const delivery = headers['x-service-delivery'];
      this.output.stdout.write(
        `${JSON.stringify({ event, delivery, verified, headers, body: body.toString() })}\n`,
      );
      return;
    }
    const time = colour('dim', new Date().toTimeString().slice(0, 8));
    this.output.stdout.write(
      `${time}  ${colour('bold', plain(event))}  ${verdictOf(verified, signature)}\n${pretty(body)}\n\n`,
    );
  }
}

/** Whether such a listener responds at this URL. */
export async function isListening(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    return (await response.text()) === GREETING;
  } catch {
    return false;
  }
}

const PREFERRED_PORT = 4000;

async function listen(server: Server, port?: number): Promise<void> {
  try {
    await listenOn(server, port ?? PREFERRED_PORT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (port !== undefined)
      throw new StartupError(
        `Port ${port} is taken: choose another with --port, or leave it out to get a free one.`,
      );
    await listenOn(server, 0);
  }
}

const listenOn = (server: Server, port: number) =>
  once(server.listen(port, '127.0.0.1'), 'listening');

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= LONGEST) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function verdictOf(verified: boolean | null, signature: unknown): string {
  if (verified === null) return colour('dim', 'signature not checked');
  if (verified) return colour('green', '✓ signature verified');
  return colour('red', signature === undefined ? '✗ no signature' : '✗ signature does not match');
}

const colour = (style: 'green' | 'red' | 'bold' | 'dim', text: string) =>
  process.stdout.isTTY ? styleText(style, text) : text;

function pretty(body: Buffer): string {
  try {
    return plainLines(JSON.stringify(JSON.parse(body.toString()), null, 2));
  } catch {
    return plain(JSON.stringify(body.toString()));
  }
}
