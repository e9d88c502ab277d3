/**
 * Loads tables as a restore does: no trigger fires and no foreign key is checked in this session, and all
 * indexes but those of keys are made when the rows are there, or when `load` fails. They come back as the migrations
 * have made them.
 * @param tables those that `load` fills
 */
export async function inBulk(client, tables, load) {
  const { rows: indexes } = await client.query(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = ANY ($1::regclass[])
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [tables],
  );
  await client.query(`SET session_replication_role = replica`);
  await client.query(`SET maintenance_work_mem = '768MB'`);
  // All or none.
  await client.query(`DROP INDEX ${indexes.map(({ name }) => name).join(', ')}`);
  try {
    await load();
  } finally {
    for (const { definition } of indexes) await client.query(definition);
    await client.query(`RESET session_replication_role`);
  }
}
