import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('categories')
export class Category {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'topic_id' })
  topicId!: string;

  @Column('text')
  name!: string;

  /** The folded name: unique, and what a quiz's flat category is linked by. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text')
  slug!: string;

  @Column('integer')
  position!: number;
}
