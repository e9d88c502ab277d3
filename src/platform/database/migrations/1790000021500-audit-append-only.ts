import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit entries can be added and read. They are deleted by retention only, a year later (src/access/audit-retention.ts). */
export class AuditAppendOnly1790000021500 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
CREATE FUNCTION audit_entries_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.at < now() - interval '365 days' THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'Audit entries cannot be changed, nor deleted within 365 days.' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_entries_keep BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION audit_entries_keep();
CREATE TRIGGER audit_entries_keep_all BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_keep();
`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP FUNCTION audit_entries_keep() CASCADE`);
  }
}
