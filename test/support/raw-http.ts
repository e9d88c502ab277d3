import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. Header names in lower case. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A connection that can say what no HTTP client would. */
export class RawConnection {
  private received = '';
  private failure: Error | undefined;
  private closed = false;
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.wake();
    });
    socket.on('error', (error) => {
      this.failure = error;
      this.wake();
    });
    socket.on('close', () => {
      this.closed = true;
      this.wake();
    });
  }

  static open(url: string): RawConnection {
    const { hostname, port } = new URL(url);
    return new RawConnection(connect(Number(port), hostname));
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  /** Sends, and resolves when the system has taken it; false when the other side is gone. */
  sent(bytes: Buffer): Promise<boolean> {
    return new Promise((resolve) => this.socket.write(bytes, (error) => resolve(!error)));
  }

  /** The next answer, also `100 Continue`. Of HEAD: `hasBody` false. */
  async answer(hasBody = true): Promise<RawAnswer> {
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end >= 0) {
        const [first = '', ...lines] = this.received.slice(0, end).split('\r\n');
        const headers = Object.fromEntries(
          lines.map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
        );
        const length = hasBody ? Number(headers['content-length'] ?? 0) : 0;
        if (this.received.length >= end + 4 + length) {
          const body = this.received.slice(end + 4, end + 4 + length);
          this.received = this.received.slice(end + 4 + length);
          return { status: Number(first.split(' ')[1]), headers, body };
        }
      }
      if (this.closed) throw this.failure ?? new Error('closed without an answer');
      await this.change();
    }
  }

  /** Waits for the other side to close; what was still received until then. */
  async end(): Promise<string> {
    while (!this.closed) await this.change();
    return this.received;
  }

  /** Says that nothing more comes, and still listens. */
  finish(): this {
    this.socket.end();
    return this;
  }

  close(): void {
    this.socket.destroy();
  }

  private async change(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      this.wake = resolve;
      timer = setTimeout(() => {
        this.socket.destroy();
        reject(new Error(`no more came within 5 s, after ${JSON.stringify(this.received)}`));
      }, 5_000);
    }).finally(() => clearTimeout(timer));
  }
}

/** One request on a connection of its own. */
export async function raw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = RawConnection.open(url).send(bytes);
  try {
    return await connection.answer(!bytes.toString('latin1').startsWith('HEAD '));
  } finally {
    connection.close();
  }
}
