// The client of all contenders, in a process of its own, so that its work is not counted as theirs.
// Messages: { origin, requests: [{ path, method, headers, body }], connections, seconds, atLeast, fresh } →
//   { count, took }: responses with 200, and the milliseconds in which they came; or { error }.
// It goes on for `seconds`, and until there are `atLeast` responses. With `fresh` each request spells its path
// differently (the service ignores case and a final slash), so that the service sends no response again.
import { Pool } from 'undici';

let number = 0;

/**
 * One of 4,095 spellings. Each of twelve bits makes a letter upper case; where the path has only eleven letters, the
 * last one adds a slash. 4,095 is odd, so that each of eight accounts in turn uses all spellings; when one returns, the
 * service has dropped its response.
 */
function spelled(path) {
  let bits = number++ % 4_095;
  const letters = path.replace(/[a-z]/g, (letter) => {
    const isUpper = bits & 1;
    bits >>= 1;
    return isUpper ? letter.toUpperCase() : letter;
  });
  return bits & 1 ? `${letters}/` : letters;
}

async function load({ origin, requests, connections, seconds, atLeast = 0, fresh = false }) {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000 });
  const begun = performance.now();
  const ends = begun + seconds * 1_000;
  let count = 0;
  const requestInTurn = async () => {
    while (performance.now() < ends || count < atLeast) {
      const request = requests[count++ % requests.length];
      const path = fresh ? spelled(request.path) : request.path;
      const { statusCode, body } = await pool.request({ method: 'GET', ...request, path });
      if (statusCode !== 200) throw new Error(`${statusCode} ${await body.text()}`);
      await body.dump({ limit: 10_000_000 });
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, requestInTurn));
    return { count, took: performance.now() - begun };
  } finally {
    await pool.destroy();
  }
}

process.on('message', (message) =>
  load(message).then(
    (result) => process.send(result),
    (error) => process.send({ error: error.message }),
  ),
);
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send('started');
