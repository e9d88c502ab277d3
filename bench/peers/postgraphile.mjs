// PostGraphile on the tables of the service, as its documentation sets it up for production (Amber preset, no
// GraphiQL, no explain). Its first message is its address.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

// It asks for Node 22 for this alone; the service it is compared with runs on Node 20 too.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

const service = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: 10 },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
  // Else only indexed columns may be filtered and ordered by, and plays leads a partial index only.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
}).createServ(grafserv);
const server = createServer();
server.keepAliveTimeout = 60_000;
await service.addTo(server);
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
