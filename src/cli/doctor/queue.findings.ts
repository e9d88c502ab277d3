import type { RedisOptions } from 'ioredis';
import type { DataSource } from 'typeorm';
import type { Config } from '../../platform/config/config';
import { redisPlace, redisFacts } from '../../platform/queue/redis';
import { failure, good, warning, type Finding } from './findings';

/** BullMQ's minimum version. */
const OLDEST = [6, 2];

/** The queue, in Redis or in the database; `database` is null if that does not respond. */
export async function queueFindings(
  config: Config,
  database: DataSource | null,
): Promise<Finding[]> {
  const place = redisPlace(config);
  return place ? redisFindings(place) : database ? postgresFindings(database) : [];
}

async function redisFindings(where: RedisOptions): Promise<Finding[]> {
  const place = where.sentinels ? `${where.name} (by Sentinel)` : `${where.host}:${where.port}`;
  try {
    const { version, evictionPolicy, appendOnly, latency } = await redisFacts(where);
    return [
      isOlder(version)
        ? failure(
            'queue',
            `Redis at ${place} has version ${version}: the queue needs ${OLDEST.join('.')} or newer, so upgrade it.`,
          )
        : good('queue', `Redis ${version} at ${place} responds in ${latency} ms.`),
      evictionPolicy === 'noeviction'
        ? good('eviction', 'Redis evicts nothing.')
        : failure(
            'eviction',
            `Redis evicts entries when it is full (${evictionPolicy}), and the queue may lose jobs: set maxmemory-policy noeviction.`,
          ),
      appendOnly
        ? good('persistence', 'Redis keeps its entries on disk (AOF).')
        : warning(
            'persistence',
            'Redis forgets the queue when it restarts; deliveries are then found again in the database, up to 15 seconds later. Set appendonly yes.',
          ),
    ];
  } catch (error) {
    return [
      failure(
        'queue',
        `Redis at ${place} does not respond (${(error as Error).message}): nothing is delivered until it does. Start it, or check REDIS_URL.`,
      ),
    ];
  }
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST;
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}

async function postgresFindings(database: DataSource): Promise<Finding[]> {
  const [row] = await database.query<{ there: boolean }[]>(
    `SELECT to_regnamespace('bullmq') IS NOT NULL AS there`,
  );
  return [
    row?.there
      ? good('queue', 'The queue is in the database, since REDIS_URL is not set.')
      : warning(
          'queue',
          'The queue is to be in the database, which has no tables for it yet: start the worker, or run quizctl migrate.',
        ),
  ];
}
