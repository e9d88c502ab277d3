import { startPostgres } from './support/postgres.mjs';
import { Worker } from './webhooks/worker.contender.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from './support/child.mjs';
import { startRedis } from './support/redis.mjs';
import { percentile } from './support/statistics.mjs';
const defers = []; const defer = (f) => defers.push(f);
const P = (a) => `p50 ${percentile(a, 0.5).toFixed(1)} p95 ${percentile(a, 0.95).toFixed(1)} max ${Math.max(...a).toFixed(1)}`;
try {
  const postgres = await startPostgres(defer);
  const { first: receiverUrl, child: receiver } = await Child.start('webhooks/receiver.mjs');
  defer(() => receiver.stop());
  for (const kind of ['postgres', 'redis']) {
    const redis = kind === 'redis' ? await startRedis(defer) : null;
    const own = []; 
    const worker = await Worker.start({ name: kind, postgres, redis, endpoints: 8, receiverUrl, execArgv: [], defer: (f) => own.push(f) });
    for (const [count, every, warm] of [[1500, 2, true], [1000, 5, false]]) {
      await receiver.ask({ expect: count });
      const arrived = receiver.answer();
      await worker.vacuum();
      const cpu = worker.cpu(); const t = performance.now();
      const committed = await worker.emit(count, every);
      await arrived; const after = worker.cpu();
      const rows = await receiver.ask('hand over');
      if (warm) { await sleep(1500); continue; }
      await sleep(1000);
      const waits = rows.map(({ body, at }) => at - committed.get(JSON.parse(body).data.quiz_id));
      const d = await worker.database.query(`SELECT (extract(epoch from o.relayed_at)*1000)::float8 as relayed, (extract(epoch from a.started_at)*1000)::float8 as leased, o.body::json->'data'->>'quiz_id' as quiz FROM outbox_events o JOIN webhook_deliveries d ON d.event_id = o.id JOIN webhook_attempts a ON a.delivery_id = d.id`);
      const by = new Map(d.map((r) => [r.quiz, r]));
      const at = new Map(rows.map(({ body, at }) => [JSON.parse(body).data.quiz_id, at]));
      const q = [...committed.keys()];
      console.log(kind.padEnd(9), 'all', P(waits), '| commit→relay', P(q.map((k) => by.get(k).relayed - committed.get(k))), '| →lease', P(q.map((k) => by.get(k).leased - by.get(k).relayed)), '| →arrival', P(q.map((k) => at.get(k) - by.get(k).leased)),
       '| cpu µs', Object.entries(after).map(([k, v]) => `${k} ${Math.round((v - cpu[k]) * 1000 / count)}`).join(' '), 'took', Math.round(performance.now() - t));
    }
    for (const f of own.reverse()) await f();
  }
} finally { for (const f of defers.reverse()) await f(); }
process.exit(0);
