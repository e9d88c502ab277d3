import { eventually } from '../support/clock';
import { type Service, startService, type TestAccount } from '../support/service';
import { ReplicatedPostgres } from '../support/streaming-replica';
import { createQuiz } from '../support/writing';

/** DATABASE_REPLICA_URLS, with a real streaming replica. */

const redisUrl = process.env.TEST_REDIS_URL ?? '';
const withRedis = redisUrl ? describe : describe.skip;

const READS = '"msg":"reads go to the replica';
const NO_READS = '"msg":"no reads go to the replica';

withRedis('reads with a replica (needs redis-server or TEST_REDIS_URL)', () => {
  let postgres: ReplicatedPostgres;
  let service: Service;
  let beside: Service;
  let writer: TestAccount;
  let reader: TestAccount;

  const titles = async (account: TestAccount) => {
    const response = await account.get('/quizzes?limit=50');
    expect(response.status).toBe(200);
    return (response.body as { data: { title: string }[] }).data.map(({ title }) => title);
  };
  /** What a service has said of its replica. */
  const ofReplica = ({ log }: Service) => log.filter((line) => line.includes('the replica'));
  const ofBeside = (account: TestAccount) => beside.get('/quizzes').set('X-Api-Key', account.key);

  beforeAll(async () => {
    postgres = await ReplicatedPostgres.start();
    const env = { REDIS_URL: redisUrl, DATABASE_REPLICA_URLS: postgres.replicaUrl };
    const database = { url: postgres.primaryUrl, drop: () => Promise.resolve() };
    service = await startService(env, database);
    beside = await startService(env, database);
    writer = await service.account('pro', { isAdmin: true });
    reader = await service.account('free');
  });
  beforeEach(async () => {
    // Services that have just started may lose the replica once more until it keeps up.
    for (const each of [service, beside])
      await eventually(() => expect(ofReplica(each).at(-1)).toContain(READS), 15_000);
  });
  afterAll(async () => {
    await service?.close();
    await beside?.close();
    await postgres?.stop();
  });

  /** Whether others were shown what the replica had; a machine that stalls sends them to the primary, rightly. */
  const othersReadTheReplica = async (title: string): Promise<boolean> => {
    await postgres.holdReplicaBack();
    try {
      await createQuiz(writer, { title });
      const [here, there] = [await titles(reader), (await ofBeside(reader)).text];
      expect(await titles(writer)).toContain(title);
      expect((await ofBeside(writer)).text).toContain(title);
      return !here.includes(title) && !there.includes(title);
    } finally {
      await postgres.letReplicaGoOn();
      await eventually(async () => expect(await titles(reader)).toContain(title));
    }
  };

  it('reads go to the replica, and those of an account that has just written to the primary, in every process', async () => {
    let round = 0;
    await eventually(async () => {
      const seen = await othersReadTheReplica(`Just written ${++round}`);
      expect({ seen, said: [service, beside].flatMap(ofReplica) }).toMatchObject({ seen: true });
    }, 15_000);
  });

  it('a lagging replica gets no reads until it has caught up', async () => {
    const saidBefore = ofReplica(service).length;
    await postgres.holdReplicaBack();
    await createQuiz(writer, { title: 'Second' });
    await eventually(async () => expect(await titles(reader)).toContain('Second'), 12_000);
    expect(ofReplica(service).slice(saidBefore).join()).toContain('it is too far behind');

    await postgres.letReplicaGoOn();
    await eventually(() => expect(ofReplica(service).at(-1)).toContain(READS));
  });

  it('no request fails when a replica dies', async () => {
    await createQuiz(writer, { title: 'Third' });
    await eventually(async () => expect(await titles(reader)).toContain('Third'));
    await eventually(() => expect(ofReplica(service).at(-1)).toContain(READS));

    const saidBefore = ofReplica(service).length;
    await postgres.killReplica();
    for (let reads = 0; reads < 10; reads++) expect(await titles(reader)).toContain('Third');
    await eventually(() => expect(ofReplica(service).slice(saidBefore).at(-1)).toContain(NO_READS));
  });
});
