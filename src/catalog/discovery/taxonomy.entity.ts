import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The upper level of the taxonomy: a topic has categories. */
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

@Entity('categories')
export class Category {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'topic_id' })
  topicId!: string;

  @Column('text')
  name!: string;

  /** The folded name: unique, and the key that links a quiz's category. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text')
  slug!: string;

  @Column('integer')
  position!: number;

  /**
   * For clients of OpenTDB: unique, and never given to another category. Every row has one; it is optional because an
   * insert leaves it out, and the database gives the next number.
   */
  @Column('integer')
  number?: number;
}
