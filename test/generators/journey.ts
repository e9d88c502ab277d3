import type { Connect } from './client.js';
import * as oazapfts from './oazapfts.js';
import * as openapiFetch from './openapi-fetch.js';
import * as orval from './orval.js';

/** Makes the calls with a client and prints the results: node dist/journey.js orval URL KEY */

const CSV = [
  'question,answer_1,answer_2,correct_numbers',
  'Where is Vienna?,Austria,Italy,1',
  'Where is Rome?,Austria,Italy,2',
].join('\n');

async function journey(name: string, connect: Connect, url: string, key: string) {
  const client = connect(url, key);
  const id = await client.create(`Rivers with ${name}`);
  const batch = await client.batch(id, [
    {
      text: 'Which river flows through Vienna?',
      type: 'MULTIPLE_CHOICE',
      difficulty: 'EASY',
      answers: [
        { text: 'The Danube', isCorrect: true },
        { text: 'The Rhine', isCorrect: false },
      ],
    },
  ]);
  const etag = await client.etag(id);
  const current = await client.rename(id, `Lakes with ${name}`, etag);
  const stale = await client.rename(id, `Seas with ${name}`, etag);
  const list = await client.list(name);
  const file = new Blob([CSV.replaceAll('?', ` (${name})?`)]);
  const upload = await ended(client, await client.upload(file, `${name}.csv`));
  return { list, batch, current, stale, upload };
}

async function ended(client: ReturnType<Connect>, id: string) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const found = await client.importState(id);
    if (!['receiving', 'waiting', 'running'].includes(found.state) || Date.now() > deadline)
      return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const [, , name = '', url = '', key = ''] = process.argv;
const clients: Record<string, { connect: Connect }> = {
  'openapi-typescript': openapiFetch,
  oazapfts,
  orval,
};
const { connect } = clients[name] ?? {};
if (!connect) throw new Error(`There is no client ${name}.`);
console.log(JSON.stringify(await journey(name, connect, url, key)));
