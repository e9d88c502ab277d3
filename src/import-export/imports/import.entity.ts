import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '../../platform/database/bigint';
import type { FormatName } from '../formats/formats';
import type { TableColumn } from '../formats/row';
import type { ImportState } from './import.rules';
import type { ImportOptions } from './imports.dto';

/** A file that becomes quizzes, or is read for a preview (`dryRun`). */
@Entity('imports')
export class Import {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  state!: ImportState;

  @Column('boolean', { name: 'dry_run' })
  dryRun!: boolean;

  /** All questions are appended to it; null: they become new quizzes. */
  @Column('uuid', { name: 'quiz_id', nullable: true })
  quizId!: string | null;

  @Column('text', { name: 'file_name' })
  fileName!: string;

  /** null until it is recognised, and if the files have several. */
  @Column('text', { nullable: true })
  format!: FormatName | null;

  @Column('jsonb')
  options!: Omit<ImportOptions, 'dryRun' | 'quizId' | 'format'> & { startsOnceRead?: boolean };

  /** How the columns of a table are read; null for other formats, and for several files. */
  @Column('jsonb', { nullable: true })
  columns!: TableColumn[] | null;

  /** Bytes of the file. */
  @Column('bigint', { transformer: AS_NUMBER })
  size!: number;

  /** Bytes that were read. */
  @Column('bigint', { transformer: AS_NUMBER })
  read!: number;

  /** Whether its file, or the questions of a preview, are in the database. */
  @Column('boolean')
  stored!: boolean;

  /** When the file was read completely. */
  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt!: Date | null;

  @Column('int')
  rows!: number;

  @Column('int')
  importable!: number;

  @Column('int')
  duplicates!: number;

  @Column('int')
  errors!: number;

  @Column('int')
  notes!: number;

  /** What the importable questions add to the account's, as its plan counts it. */
  @Column('bigint', { name: 'content_bytes', transformer: AS_NUMBER })
  contentBytes!: number;

  @Column('int')
  imported!: number;

  @Column('int')
  quizzes!: number;

  @Column('text', { nullable: true })
  error!: string | null;

  /** Of the process that runs it. */
  @Column('uuid', { nullable: true })
  token!: string | null;

  /** Failures without progress since. */
  @Column('int')
  tries!: number;

  /** How often its process died. */
  @Column('int')
  deaths!: number;

  /** When it is given to the queue, again if it makes no progress; null when it has ended. */
  @Column('timestamptz', { name: 'next_check_at', nullable: true })
  nextCheckAt!: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  @Column('timestamptz', { name: 'progress_at', nullable: true })
  progressAt!: Date | null;
}
