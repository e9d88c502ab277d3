import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ImageType } from './images/image';

/** A picture that questions of its account show. */
@Entity('media')
export class Medium {
  /** Random: whoever knows it may see the picture, and nobody can guess it. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** Of the content. */
  @Column('bytea', { select: false })
  sha256!: Buffer;

  /** The media type. */
  @Column('text')
  type!: ImageType;

  /** In pixels, as browsers show it. */
  @Column('integer')
  width!: number;

  @Column('integer')
  height!: number;

  /** Of the content. */
  @Column('integer')
  bytes!: number;

  /** The picture, without metadata. Read only where it is named. */
  @Column('bytea', { select: false })
  content!: Buffer;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** Null while questions show it. */
  @Column('timestamptz', { name: 'unused_since', nullable: true })
  unusedSince!: Date | null;
}
