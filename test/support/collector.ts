import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived, with what its resource says of the process. */
interface ReceivedSpan {
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  traceId: string;
  id: string;
  /** Empty for the first of a trace. */
  parentId: string;
  attributes: Record<string, string | number>;
  resource: Record<string, string | number>;
}

/** A receiver of OTLP over HTTP with protobuf, on a loopback port. */
export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  /** Everything that arrived, headers included, as text: what must not leak is searched for in this. */
  raw: () => string;
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  let raw = '';
  const server = createServer((request, response) => {
    void wholeBody(request).then((body) => {
      raw += `${request.url} ${JSON.stringify(request.headers)} ${body.toString('latin1')}`;
      if (request.url === '/v1/traces') spans.push(...readSpans(body));
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    raw: () => raw,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The field numbers are those of opentelemetry/proto/trace/v1/trace.proto. */
function readSpans(body: Buffer): ReceivedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = attributes(messages(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1);
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({
        name: String(messages(span, 5)[0] ?? ''),
        kind: numbers(span, 6)[0] ?? 0,
        traceId: messages(span, 1)[0]?.toString('hex') ?? '',
        id: messages(span, 2)[0]?.toString('hex') ?? '',
        parentId: messages(span, 4)[0]?.toString('hex') ?? '',
        attributes: attributes(span, 9),
        resource,
      }));
  });
}

/** Pairs of key (1) and value (2), which is text (1) or a whole number (3). */
function attributes(message: Buffer, field: number): Record<string, string | number> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const value = messages(pair, 2)[0] ?? Buffer.alloc(0);
      return [String(messages(pair, 1)[0]), numbers(value, 3)[0] ?? String(messages(value, 1)[0])];
    }),
  );
}

const messages = (message: Buffer, field: number) =>
  fields(message).flatMap(([at, value]) =>
    at === field && typeof value === 'object' ? value : [],
  );

const numbers = (message: Buffer, field: number) =>
  fields(message).flatMap(([at, value]) =>
    at === field && typeof value === 'number' ? value : [],
  );

/** The fields of a protobuf message: numbers, and bytes of what has a length. */
function fields(message: Buffer): [field: number, value: number | Buffer][] {
  const found: [number, number | Buffer][] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [field, wire] = [tag >>> 3, tag & 7];
    if (wire === 0) found.push([field, varint()]);
    else {
      const length = wire === 2 ? varint() : wire === 1 ? 8 : 4;
      found.push([field, message.subarray(at, at + length)]);
      at += length;
    }
  }
  return found;
}
