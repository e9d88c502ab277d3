import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy before PostgreSQL or Redis. `freeze` makes the connections there are silent: they stay open and
 * nothing passes, as when a firewall has forgotten them or a failover has moved the address. New ones pass, except those
 * that `ignoreNew` lets the server accept and never respond to, as an overloaded one does.
 */
export class FreezingProxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private readonly ignored = new Set<Socket>();
  private passes = Infinity;
  private ignores = 0;

  private constructor(
    private readonly server: Server,
    /** The URL of the server behind, by way of the proxy. */
    readonly url: string,
  ) {}

  static async start(target: string): Promise<FreezingProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer({ noDelay: true });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = new URL(target);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new FreezingProxy(server, url.href);
    server.on('connection', (near) => {
      if (proxy.passes-- <= 0 && proxy.ignores-- > 0)
        return proxy.ignored.add(near.on('error', () => undefined).resume());
      const far = connect({ host: hostname, port: Number(port), noDelay: true });
      proxy.join(near, far);
    });
    return proxy;
  }

  private join(near: Socket, far: Socket): void {
    const pair: [Socket, Socket] = [near, far];
    this.pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (this.pairs.delete(pair)) for (const other of pair) other.destroy();
      });
    }
  }

  /** @returns how many connections it has made silent */
  freeze(): number {
    const frozen = this.pairs.size;
    for (const pair of this.pairs)
      for (const socket of pair) {
        socket.unpipe();
        socket.pause();
      }
    return frozen;
  }

  /** Of the connections that come from now on, those after the first `passes` are accepted and get no response. */
  ignoreNew({ passes = 0, ignores = Infinity } = {}): void {
    Object.assign(this, { passes, ignores });
  }

  async close(): Promise<void> {
    for (const socket of this.ignored) socket.destroy();
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
    await new Promise<void>((done) => this.server.close(() => done()));
  }
}
