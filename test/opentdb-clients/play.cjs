/* Lets one client draw questions of the category History: prints what it got as JSON. */
console.log = () => undefined;
const texts = (questions) => questions.map((it) => it.value ?? it.question ?? it.content);

const CLIENTS = {
  async 'open-trivia-db'() {
    const { getQuestions, Session } = require('open-trivia-db');
    const session = new Session();
    await session.start();
    const options = { amount: 2, category: 23, difficulty: 'easy', type: 'multiple' };
    // It takes the session out of the options that it is given.
    const draw = () => getQuestions({ ...options, session });
    return [await draw(), await draw()];
  },
  async 'opendtb-wrapper'() {
    const { Client } = require('opendtb-wrapper');
    const draw = () =>
      Client.get({ amount: 2, category: 23, difficulty: 'easy', type: 'multiple' });
    return [await draw(), await draw()];
  },
  async 'opentdb-api'() {
    const client = require('opentdb-api');
    const token = await client.getToken();
    const options = { amount: 2, category: 23, difficulty: 'easy', type: 'multiple', token };
    return [await client.getTrivia(options), await client.getTrivia(options)];
  },
  async 'tdb-api'() {
    const client = new (require('tdb-api'))();
    const token = await client.create_session_token();
    const draw = () =>
      client.getQuestions({ amount: 2, category: 'History', difficulty: 'easy', token });
    return [(await draw()).data, (await draw()).data];
  },
  async 'trivia-api'() {
    const client = new (require('trivia-api'))({ encoding: 'url3986' });
    await client.getCategories();
    const draw = async () =>
      (await client.getQuestions({ amount: 2, category: 23, difficulty: 'easy' })).results;
    return [await draw(), await draw()];
  },
};

CLIENTS[process.argv[2]]().then(
  (draws) => process.stdout.write(JSON.stringify(draws.map((draw) => texts([draw].flat())))),
  (error) => {
    process.stderr.write(String(error?.stack ?? error));
    process.exitCode = 1;
  },
);
