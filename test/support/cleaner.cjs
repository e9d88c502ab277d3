// Waits until the run of Jest that started it has ended (its end of our standard input is closed, even by kill -9),
// then removes what is left of the run: processes, databases, folders.
// Arguments: the folder, which stands in the environment of all processes of the run; the folder of its server; the
// prefix of its databases.
const { readdirSync, readFileSync, rmSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { Client } = require('pg');

const [folder, serverFolder, prefix] = process.argv.slice(2);

/** Processes of the run, with their names. Only Linux shows them; elsewhere the server alone is known. */
function processes() {
  if (process.platform !== 'linux') return server();
  return readdirSync('/proc').flatMap((name) => {
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(folder)) return [];
      return [{ pid: Number(name), name: readFileSync(`/proc/${name}/comm`, 'utf8').trim() }];
    } catch {
      return [];
    }
  });
}

function server() {
  try {
    const text = readFileSync(`${serverFolder}/postgres/postmaster.pid`, 'utf8');
    return [{ pid: Number(text.split('\n', 1)[0]), name: 'postgres' }];
  } catch {
    return [];
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

async function endProcesses() {
  for (let look = 0; look < 100; look++) {
    const running = processes();
    if (running.length === 0) return;
    // SIGQUIT lets PostgreSQL give back its shared memory; after two seconds nothing is asked any more.
    for (const { pid, name } of running)
      signal(pid, name === 'postgres' && look < 40 ? 'SIGQUIT' : 'SIGKILL');
    await sleep(50);
  }
}

async function dropDatabases() {
  const client = new Client({ connectionString: process.env.DATABASE_URL });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  for (const { datname } of rows) await client.query(`DROP DATABASE "${datname}" WITH (FORCE)`);
  await client.end();
}

process.stdin.resume().once('close', async () => {
  await endProcesses();
  if (process.env.DATABASE_URL)
    await dropDatabases().catch((error) => console.error(error.message));
  for (const it of [serverFolder, folder])
    rmSync(it, { recursive: true, force: true, maxRetries: 5 });
});
