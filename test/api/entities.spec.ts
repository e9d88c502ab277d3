import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { type Service, startService } from '../support/service';

/** The entities are written by hand, and so is the schema: they must say the same. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Column {
  name: string;
  type: string;
  nullable: boolean;
  /** A row can be inserted without a value: it has a default or is computed. */
  optional: boolean;
}

const columnsOf = (table: string) =>
  service.database.query<Column[]>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable,
       atthasdef OR attidentity <> '' OR NOT attnotnull AS optional
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
    [table],
  );

function typeOf(column: ColumnMetadata): string {
  const type = column.enumName ?? service.database.driver.normalizeType(column);
  return column.isArray ? `${type}[]` : type;
}

it('every entity has the columns of its table, with their types and whether they can be null', async () => {
  const entities = service.database.entityMetadatas;
  expect(entities.length).toBeGreaterThan(5);
  for (const { name, tableName, columns } of entities) {
    const schema = new Map((await columnsOf(tableName)).map((column) => [column.name, column]));
    for (const column of columns)
      expect({
        column: `${name}.${column.propertyName}`,
        type: typeOf(column),
        nullable: column.isNullable,
      }).toEqual({
        column: `${name}.${column.propertyName}`,
        type: schema.get(column.databaseName)?.type,
        nullable: schema.get(column.databaseName)?.nullable,
      });
    const mapped = new Set(columns.map((column) => column.databaseName));
    const missing = [...schema.values()].filter((it) => !it.optional && !mapped.has(it.name));
    expect({ name, missing }).toEqual({ name, missing: [] });
  }
});
