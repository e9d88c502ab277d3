import { Get, Post } from '@nestjs/common';
import { TaxonomyService } from '../../../authoring/taxonomy/taxonomy.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { versionOf } from '../../../authoring/taxonomy/taxonomy.rules';
import { CategoryRequest, TopicRequest } from '../../../authoring/taxonomy/taxonomy.request';
import { NotFound } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { fieldError, Form } from '../../http/form';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import { redirect, submit, type PageResult } from '../../http/page-results';
import { CategoryFormPage, TopicFormPage, TopicsPage } from './topics.page';

const AT = '/dashboard/admin/topics';

const backTo = (topicId: string, notice?: string) => redirect(`${AT}#topic-${topicId}`, notice);

@AdministratorPages('topics')
export class TopicsController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly taxonomy: TaxonomyService,
  ) {}

  @Get()
  list(): Promise<PageResult> {
    return this.tree(new Form());
  }

  @Get('new')
  blank(): PageResult {
    return <TopicFormPage topic={null} form={new Form()} />;
  }

  @Post()
  add(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const { id, name } = await this.taxonomy.addTopic(viewer, readTopic(form));
        return backTo(id, `The topic “${name}” is added.`);
      },
      (refused) => <TopicFormPage topic={null} form={refused} />,
    );
  }

  @Get(':id/edit')
  edit(@Asked() { id }: PageRequest): Promise<PageResult> {
    return this.form(id);
  }

  @Post(':id/edit')
  save(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const version = form.text('version');
        const saved = await this.taxonomy.editTopic(viewer, id, readTopic(form), version);
        return backTo(saved.id, `The topic “${saved.name}” is saved.`);
      },
      (refused) => this.form(id, refused),
    );
  }

  @Post(':id/move')
  async move(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const topic = await this.taxonomy.moveTopic(viewer, id, form.direction);
    return backTo(topic.id);
  }

  @Post(':id/delete')
  remove(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const { name } = await this.taxonomy.deleteTopic(viewer, id);
        return redirect(AT, `The topic “${name}” is deleted.`);
      },
      (refused) => this.tree(refused),
    );
  }

  private async tree(form: Form) {
    return <TopicsPage topics={await this.discovery.currentTopics()} form={form} />;
  }

  /** @param typed absent: the form shows the topic as it is */
  private async form(id: string, typed?: Form) {
    const topic = (await this.discovery.currentTopics()).find((it) => it.id === id.toLowerCase());
    if (!topic) throw new NotFound('Topic');
    const { name, slug, icon } = topic;
    const form = typed ?? new Form({ name, slug, icon: icon ?? '', version: versionOf(topic) });
    return <TopicFormPage topic={topic} form={form} />;
  }
}

@AdministratorPages('categories')
export class CategoriesController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly taxonomy: TaxonomyService,
  ) {}

  @Get('new')
  blank(@Asked() { query }: PageRequest): Promise<PageResult> {
    return this.newForm(new Form({ topicId: query('topic') }));
  }

  @Post()
  add(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const { topicId, name } = await this.taxonomy.addCategory(viewer, readCategory(form));
        return backTo(topicId, `The category “${name}” is added.`);
      },
      (refused) => this.newForm(refused),
    );
  }

  @Get(':id/edit')
  edit(@Asked() { id }: PageRequest): Promise<PageResult> {
    return this.form(id);
  }

  @Post(':id/edit')
  save(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const version = form.text('version');
        const saved = await this.taxonomy.editCategory(viewer, id, readCategory(form), version);
        return backTo(saved.topicId, `The category “${saved.name}” is saved.`);
      },
      (refused) => this.form(id, refused),
    );
  }

  @Post(':id/move')
  async move(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const { topicId } = await this.taxonomy.moveCategory(viewer, id, form.direction);
    return backTo(topicId);
  }

  @Post(':id/delete')
  async remove(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    const { name, topicId } = await this.taxonomy.deleteCategory(viewer, id);
    return backTo(topicId, `The category “${name}” is deleted.`);
  }

  private async newForm(form: Form) {
    return (
      <CategoryFormPage topics={await this.discovery.currentTopics()} category={null} form={form} />
    );
  }

  /** @param typed absent: the form shows the category as it is */
  private async form(id: string, typed?: Form) {
    const topics = await this.discovery.currentTopics();
    const [category] = topics.flatMap(({ id: topicId, categories }) =>
      categories.filter((it) => it.id === id.toLowerCase()).map((it) => ({ ...it, topicId })),
    );
    if (!category) throw new NotFound('Category');
    const { name, slug, topicId } = category;
    const form = typed ?? new Form({ name, slug, topicId, version: versionOf(category) });
    return <CategoryFormPage topics={topics} category={category} form={form} />;
  }
}

/** @throws Invalid */
const readTopic = (form: Form) =>
  readBody(TopicRequest, {
    name: form.text('name'),
    slug: form.text('slug'),
    icon: form.text('icon'),
  });

/** @throws Invalid */
function readCategory(form: Form): CategoryRequest {
  const topicId = form.text('topicId');
  if (!topicId) throw fieldError('topicId', 'Choose a topic', 'required');
  return readBody(CategoryRequest, { name: form.text('name'), slug: form.text('slug'), topicId });
}
