import { startPostgres } from './support/postgres.mjs';
import { Worker } from './webhooks/worker.contender.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf } from './support/cpu.mjs';
import { Child } from './support/child.mjs';
import { startRedis } from './support/redis.mjs';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
const defers = []; const defer = (f) => defers.push(f);
try {
  const postgres = await startPostgres(defer);
  const redis = process.argv.includes('redis') ? await startRedis(defer) : null;
  const { first: receiverUrl, child: receiver } = await Child.start('webhooks/receiver.mjs');
  defer(() => receiver.stop());
  const worker = await Worker.start({ name: 'w', postgres, redis, endpoints: 8, receiverUrl, execArgv: process.argv.includes('prof') ? ['--cpu-prof', '--cpu-prof-dir=/tmp/hooks-prof'] : [], defer });
  const q = (s, p) => worker.database.query(s, p);
  if (process.argv.includes('explain')) {
    const { default: relay } = await import('../dist/webhooks/worker/relay.js').then(() => ({}));
    for (const s of process.env.SQL.split(';;')) console.log((await q(`EXPLAIN ${s}`)).map((r) => r['QUERY PLAN']).join('\n'), '\n');
  }
  await sleep(6000);
  const own = (pid) => { const r = {}; for (const e of readdirSync('/proc')) { if (!/^\d+$/.test(e)) continue; try { const t = readFileSync(`/proc/${e}/stat`, 'utf8'); const f = t.slice(t.lastIndexOf(')') + 2).split(' '); if (Number(f[1]) === pid || Number(e) === pid) r[readFileSync(`/proc/${e}/cmdline`, 'utf8').split('\0').slice(-2)[0].slice(-12) + e] = Number(readdirSync(`/proc/${e}/task`).reduce((a, t) => a + Number(readFileSync(`/proc/${e}/task/${t}/schedstat`, 'utf8').split(' ')[0]), 0)) / 1e6; } catch {} } return r; };
  const S = Number(process.env.S ?? 30);
  const x = async () => Number((await q('select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()'))[0].n);
  const a = own(worker.child.pid), pa = cpuOf(postgres.pid), xa = await x();
  await sleep(S * 1000);
  const b = own(worker.child.pid), pb = cpuOf(postgres.pid), xb = await x();
  for (const k in b) console.log(k, ((b[k] - (a[k] ?? 0)) / S / 10).toFixed(3), '% of a core');
  console.log('postgres', ((pb - pa) / S / 10).toFixed(3), '%; transactions a second', ((xb - xa) / S).toFixed(1));
} finally { for (const f of defers.reverse()) await f(); }
process.exit(0);
