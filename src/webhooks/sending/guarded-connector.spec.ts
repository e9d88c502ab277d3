import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import * as fc from 'fast-check';
import { dnsResolver, guardedLookup, type ResolveHost } from './guarded-connector';

interface Found {
  error: string | null;
  addresses: string[];
}

function find(
  options: { allowInsecure: boolean; allowLoopback?: boolean; resolve?: ResolveHost },
  hostname = 'hooks.example.com',
  lookup: { all?: boolean; family?: number } = { all: true },
): Promise<Found> {
  return new Promise((done) => {
    guardedLookup(options)(hostname, lookup, (error, address) => {
      const list = typeof address === 'string' ? (address ? [address] : []) : address;
      const addresses = (list ?? []).map((entry: string | LookupAddress) =>
        typeof entry === 'string' ? entry : entry.address,
      );
      done({
        error: error ? `${(error as { code?: string }).code}/${error.message}` : null,
        addresses,
      });
    });
  });
}

const answering = (...addresses: string[]) => ({
  allowInsecure: false,
  resolve: () => Promise.resolve(addresses),
});

const REFUSED = { error: 'address_refused/address_refused', addresses: [] };
const NOT_FOUND = { error: 'dns_error/dns_error', addresses: [] };

describe('the guarded lookup', () => {
  it('the guarded lookup returns all vetted addresses, the first, or those of one family', async () => {
    const options = answering('1.1.1.1', '2606:4700::1111');
    expect((await find(options)).addresses).toEqual(['1.1.1.1', '2606:4700::1111']);
    expect((await find(options, 'a.example', {})).addresses).toEqual(['1.1.1.1']);
    expect((await find(options, 'a.example', { family: 6 })).addresses).toEqual([
      '2606:4700::1111',
    ]);
    expect(await find(answering('1.1.1.1'), 'a.example', { family: 6 })).toEqual(NOT_FOUND);
  });

  it('the guarded lookup refuses a name with any private address, at any position', async () => {
    const publicOnes = fc.array(fc.constantFrom('1.1.1.1', '8.8.8.8', '2606:4700::1111'));
    const privateOne = fc.constantFrom(
      '127.0.0.1',
      '10.1.1.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::ffff:10.0.0.1',
      'x',
    );
    await fc.assert(
      fc.asyncProperty(publicOnes, privateOne, publicOnes, async (before, bad, after) => {
        expect(await find(answering(...before, bad, ...after))).toEqual(REFUSED);
      }),
    );
  });

  it('the guarded lookup resolves once, so DNS rebinding has no effect', async () => {
    const resolve = jest
      .fn<Promise<string[]>, [string]>()
      .mockResolvedValueOnce(['1.1.1.1'])
      .mockResolvedValue(['127.0.0.1']);
    expect((await find({ allowInsecure: false, resolve })).addresses).toEqual(['1.1.1.1']);
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('the guarded lookup accepts private addresses only with WEBHOOK_ALLOW_INSECURE', async () => {
    const options = { ...answering('127.0.0.1', '1.1.1.1'), allowInsecure: true };
    expect((await find(options)).addresses).toEqual(['127.0.0.1', '1.1.1.1']);
    expect((await find({ allowInsecure: true }, 'localhost')).error).toBeNull();
  });

  it('the guarded lookup takes localhost for this machine outside production, and asks nobody', async () => {
    const resolve = jest.fn(() => Promise.resolve(['10.0.0.1']));
    const options = { allowInsecure: false, allowLoopback: true, resolve };
    for (const name of ['localhost', 'LocalHost'])
      expect(await find(options, name)).toEqual({ error: null, addresses: ['127.0.0.1', '::1'] });
    expect((await find(options, 'localhost', { family: 6 })).addresses).toEqual(['::1']);
    expect(resolve).not.toHaveBeenCalled();
    expect(await find({ ...options, allowLoopback: false }, 'localhost')).toEqual(REFUSED);
  });

  it('the guarded lookup refuses other names that resolve to this machine, also outside production', async () => {
    for (const name of ['hooks.example.com', 'localhost.example.com', 'app.localhost'])
      for (const addresses of [['127.0.0.1'], ['::1'], ['1.1.1.1', '127.0.0.1']])
        expect(await find({ ...answering(...addresses), allowLoopback: true }, name)).toEqual(
          REFUSED,
        );
  });

  it('the guarded lookup reports a name without address as dns_error, without detail', async () => {
    expect(await find(answering())).toEqual(NOT_FOUND);
    const resolve = () => Promise.reject(new Error('queryA ESERVFAIL 10.0.0.53'));
    expect(await find({ allowInsecure: false, resolve })).toEqual(NOT_FOUND);
  });
});

describe('resolving by DNS', () => {
  let server: Socket;
  let resolve: ResolveHost;
  const A = 1;
  const AAAA = 28;

  const PUBLIC4 = Buffer.from([1, 1, 1, 1]);
  const PUBLIC6 = Buffer.from('26064700000000000000000000001111', 'hex');
  const PRIVATE6 = Buffer.from('fd000000000000000000000000000001', 'hex');

  /** Addresses by name, and after how many milliseconds the response to AAAA is sent; null: never. Others are NXDOMAIN. */
  const zone: Record<string, { v4?: Buffer; v6?: Buffer; delay6: number | null }> = {
    both: { v4: PUBLIC4, v6: PUBLIC6, delay6: 0 },
    v4: { v4: PUBLIC4, delay6: 0 },
    deaf6: { v4: PUBLIC4, delay6: null },
    late6: { v4: PUBLIC4, v6: PUBLIC6, delay6: 20 },
    'late-private6': { v4: PUBLIC4, v6: PRIVATE6, delay6: 20 },
    'slow-v6': { v6: PUBLIC6, delay6: 700 },
  };

  beforeAll(async () => {
    server = createSocket('udp4', (query, peer) => {
      const label = query.toString('latin1', 13, 13 + query[12]!);
      const end = query.indexOf(0, 12) + 5;
      const type = query.readUInt16BE(end - 4);
      const name = zone[label];
      const delay = type === AAAA ? (name?.delay6 ?? 0) : 0;
      if (type === AAAA && name?.delay6 === null) return;
      const data = type === A ? name?.v4 : name?.v6;
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(name ? 0x8180 : 0x8183, 2);
      head.writeUInt16BE(data ? 1 : 0, 6);
      head.writeUInt32BE(0, 8);
      const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, data?.length ?? 0]);
      const answer = data ? [record, data] : [];
      const response = Buffer.concat([head, query.subarray(12, end), ...answer]);
      setTimeout(() => server.send(response, peer.port, peer.address), delay);
    });
    await new Promise<void>((done) => server.bind(0, '127.0.0.1', done));
    const { port } = server.address();
    resolve = dnsResolver([`127.0.0.1:${port}`]);
  });

  afterAll(() => new Promise<void>((done) => server.close(() => done())));

  it('resolving returns both address families, IPv4 first', async () => {
    expect(await resolve('both.example.com')).toEqual(['1.1.1.1', '2606:4700::1111']);
    expect(await resolve('v4.example.com')).toEqual(['1.1.1.1']);
  });

  it('resolving an unknown name returns no address', async () => {
    expect(await resolve('none.example.com')).toEqual([]);
    expect(await find({ allowInsecure: false, resolve }, 'none.example.com')).toEqual(NOT_FOUND);
  });

  it('resolving returns one address family when the query for the other gets no response', async () => {
    const begun = performance.now();
    expect(await resolve('deaf6.example.com')).toEqual(['1.1.1.1']);
    // The query would be given up after nine seconds.
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('resolving waits for a response that comes soon after the other, and its addresses are checked', async () => {
    expect(await resolve('late6.example.com')).toEqual(['1.1.1.1', '2606:4700::1111']);
    expect(await find({ allowInsecure: false, resolve }, 'late-private6.example.com')).toEqual(
      REFUSED,
    );
  });

  it('resolving waits for the second address family as long as the first has no address', async () => {
    expect(await resolve('slow-v6.example.com')).toEqual(['2606:4700::1111']);
  });
});
