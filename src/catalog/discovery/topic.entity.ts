import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The upper floor of the hierarchy: a topic has categories. */
@Entity('topics')
export class Topic {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  slug!: string;

  /** An emoji. */
  @Column('text', { nullable: true })
  icon!: string | null;

  @Column('integer')
  position!: number;
}
