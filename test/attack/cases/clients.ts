import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../../src/platform/limits/limits';
import { hold, until } from '../../faults/harness/until';
import { Attacker, type Holding } from '../harness/attacker';
import type { AttackCase, Subject } from '../harness/case';

/** Descriptors that come and go by themselves: the database's connections, the bystander's. */
const SLACK = 30;
const FILES = '/docs/reference/files';

/** Those that hold connections, and where these come from. */
const holding: Attacker[] = [];
const addresses = new Set<string>();

/**
 * Connections that are held open until the last case of all. The API gives an address no more than its limit. Measured
 * again, they come from another address: the first one may have used up its limits, and be refused at once.
 */
const held = (name: string, attack: Omit<Holding, 'address'>): AttackCase => ({
  name,
  async run(target) {
    const { port } = target.api;
    const limit = LIMITS.connections.perAddress.value;
    const allowed = limit + SLACK;
    // A process is slow in its first documentation page (0.4 s of processor time), which would be measured instead.
    await target.send([{ path: attack.path }]);
    const open = target.descriptors;
    const address = `127.0.0.${2 + addresses.size}`;
    addresses.add(address);
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, target.descriptors - open)), 200);
    const figures = await target
      .beside(async () => {
        holding.push(await Attacker.start(port, { ...attack, address }));
        await sleep(3_000);
        // The descriptors alone would not show it: meanwhile connections of earlier cases are closed. Looking takes 70 ms
        // with thousands of connections, which the bystander in this process notices.
        let own = 0;
        await until(
          `no more than ${limit} of them to be open`,
          () => (own = openConnections(port, new Set([address]))) <= limit,
          5_000,
          1_000,
        );
        hold(own > 0, 'none of them is open');
      })
      .finally(() => clearInterval(looking));
    hold(most <= allowed, `${most} more descriptors are open`);
    return `at most ${most} descriptors more; ${figures}`;
  },
});

type Page = [name: string, path: string, status: number];

/**
 * Most responses to a flood are 429 or 503, and one of the page's own shows that it was what was asked for. Whether others
 * wait is seen by the bystander of each case.
 */
const flood = (connections: number, [name, path, status]: Page): AttackCase => ({
  name: `${connections} connections flood ${name}`,
  async run(target) {
    const [figures, statuses] = await target.flood({ connections, requests: [{ path }] }, 5_000);
    hold(statuses[status], `no response has the status ${status}: ${figures}`);
    return figures;
  },
});

const DOCUMENTATION: Page = ['a documentation page', FILES, 200];
const PAGES: Page[] = [
  DOCUMENTATION,
  ['the front page', '/', 200],
  ['a page of the player that does not exist', '/play/rivers-of-europe', 404],
  ['the sign-in of the dashboard', '/dashboard/sign-in', 200],
  ['the list of quizzes, without a key', '/api/v1/quizzes', 401],
];

/** Anonymous clients that are slow, silent or greedy. */
export const CLIENTS: Subject = {
  name: 'clients',
  cases: [
    ...(
      [
        ['4,000 idle connections', 'idle', 4_000, '/'],
        ['1,000 half headers', 'half-header', 1_000, '/'],
        ['200 dripping bodies', 'drip', 200, '/api/v1/quizzes'],
        ['200 unread responses', 'unread', 200, FILES],
      ] as const
    ).map(([name, kind, connections, path]) => held(name, { kind, connections, path })),
    flood(200, DOCUMENTATION),
    ...PAGES.map((page) => flood(50, page)),
  ],
};

/**
 * How many connections from these addresses the API has open, also those of which only its own side is closed: they keep
 * their descriptor. Linux shows 127.0.0.2 as `0200007F`, at the end if it is IPv6.
 */
function openConnections(port: number, from: ReadonlySet<string>): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const established = '01';
  /** Of connections that belong to no process: the kernel waits for their other side. */
  const noInode = '0';
  return ['tcp', 'tcp6']
    .flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, here, there = '', state, , , , , , inode]) => {
      const bytes = Buffer.from(there.split(':', 1)[0]?.slice(-8) ?? '', 'hex').reverse();
      const isOpen = state === established || inode !== noInode;
      return here?.endsWith(local) && isOpen && from.has(bytes.join('.'));
    }).length;
}

/** After all other subjects: the service takes up to two minutes to close a response that nobody reads. */
export const GIVEN_BACK: Subject = {
  name: CLIENTS.name,
  cases: [
    {
      name: 'all connections that were held are given back',
      async run(target) {
        hold(holding.length > 0, 'nothing was held: run the other cases of this subject too');
        const figures = await target.beside(() =>
          until(
            'the connections of the attackers to be closed',
            () => openConnections(target.api.port, addresses) === 0,
            2 * LIMITS.connections.unread.value + 10_000,
            // Looking takes a while with thousands of connections.
            2_000,
          ),
        );
        for (const attacker of holding.splice(0)) attacker.end();
        return figures;
      },
    },
  ],
};
