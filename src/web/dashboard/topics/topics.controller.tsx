import { Get, Post } from '@nestjs/common';
import { CategoryRequest, TopicRequest } from '../../../authoring/taxonomy/taxonomy.dto';
import { TaxonomyService } from '../../../authoring/taxonomy/taxonomy.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { Category, Topic } from '../../../catalog/discovery/taxonomy.entity';
import { NotFound } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { fieldError, type Form } from '../../http/form';
import { AdministratorPages, Asked, OnRefusal, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { CategoryFormPage, TopicFormPage, TopicsPage } from './topics.page';

const AT = '/dashboard/admin/topics';

/** The list, with the topic open. */
const backTo = (topicId: string, notice?: string) =>
  redirect(`${AT}?open=${topicId}#topic-${topicId}`, notice);

/** The taxonomy: topics and their categories. */
@AdministratorPages()
export class TopicsController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly taxonomy: TaxonomyService,
  ) {}

  @Get('topics')
  async list(@Asked() { query, form }: PageRequest): Promise<PageResult> {
    const topics = await this.discovery.currentTopics();
    return <TopicsPage topics={topics} open={query('open')} form={form} />;
  }

  @Get('topics/new')
  blankTopic(@Asked() { form }: PageRequest): PageResult {
    return <TopicFormPage topic={null} form={form} />;
  }

  @Post('topics')
  @OnRefusal('blankTopic')
  async addTopic(@Asked() { viewer, form, messages: { t } }: PageRequest): Promise<PageResult> {
    const { id, name } = await this.taxonomy.saveTopic(viewer, null, readTopic(form));
    return backTo(id, t('topics.isAdded', { name }));
  }

  @Get('topics/:id/edit')
  async editTopic(@Asked() { id, form }: PageRequest): Promise<PageResult> {
    const topic = (await this.discovery.currentTopics()).find((it) => it.id === id.toLowerCase());
    if (!topic) throw new NotFound('Topic');
    return <TopicFormPage topic={topic} form={form} />;
  }

  @Post('topics/:id/edit')
  @OnRefusal('editTopic')
  async saveTopic(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const version = form.text('version');
    const { name } = await this.taxonomy.saveTopic(viewer, id, readTopic(form), version);
    return backTo(id, t('topics.isSaved', { name }));
  }

  @Post('topics/:id/move')
  async moveTopic(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const topic = await this.taxonomy.move(viewer, Topic, id, form.move);
    return backTo(topic.id);
  }

  @Post('topics/:id/delete')
  @OnRefusal('list')
  async removeTopic(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { name } = await this.taxonomy.deleteTopic(viewer, id);
    return redirect(AT, t('topics.isDeleted', { name }));
  }

  @Get('categories/new')
  async blankCategory(@Asked() { query, form }: PageRequest): Promise<PageResult> {
    const topics = await this.discovery.currentTopics();
    return <CategoryFormPage {...{ topics, topicId: query('topic'), category: null, form }} />;
  }

  @Post('categories')
  @OnRefusal('blankCategory')
  async addCategory(@Asked() { viewer, form, messages: { t } }: PageRequest): Promise<PageResult> {
    const { topicId, name } = await this.taxonomy.saveCategory(viewer, null, readCategory(form));
    return backTo(topicId, t('topics.categoryAdded', { name }));
  }

  @Get('categories/:id/edit')
  async editCategory(@Asked() { id, form }: PageRequest): Promise<PageResult> {
    const topics = await this.discovery.currentTopics();
    for (const { id: topicId, categories } of topics) {
      const category = categories.find((it) => it.id === id.toLowerCase());
      if (category) return <CategoryFormPage {...{ topics, topicId, category, form }} />;
    }
    throw new NotFound('Category');
  }

  @Post('categories/:id/edit')
  @OnRefusal('editCategory')
  async saveCategory(
    @Asked() { viewer, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const version = form.text('version');
    const saved = await this.taxonomy.saveCategory(viewer, id, readCategory(form), version);
    return backTo(saved.topicId, t('topics.categorySaved', { name: saved.name }));
  }

  @Post('categories/:id/move')
  async moveCategory(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const { topicId } = await this.taxonomy.move(viewer, Category, id, form.move);
    return backTo(topicId);
  }

  @Post('categories/:id/delete')
  async removeCategory(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { name, topicId } = await this.taxonomy.deleteCategory(viewer, id);
    return backTo(topicId, t('topics.categoryDeleted', { name }));
  }
}

/** @throws Invalid */
const readTopic = (form: Form) => readBody(TopicRequest, form.texts('name', 'slug', 'icon'));

/** @throws Invalid */
function readCategory(form: Form): CategoryRequest {
  const fields = form.texts('name', 'slug', 'topicId');
  if (!fields.topicId) throw fieldError('topicId', 'Choose a topic', 'required');
  return readBody(CategoryRequest, fields);
}
