import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of an uploaded file. */
@Entity('import_chunks')
export class ImportChunk {
  @PrimaryColumn('uuid', { name: 'import_id' })
  importId!: string;

  /** From 0, in the order of the file. */
  @PrimaryColumn('int')
  number!: number;

  @Column('bytea')
  bytes!: Buffer;
}
