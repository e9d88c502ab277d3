import { Get, Param, Post } from '@nestjs/common';
import { versionOf } from '../../../authoring/taxonomy/taxonomy-version.rules';
import { TopicRequest } from '../../../authoring/taxonomy/taxonomy.request';
import { TopicEditingService } from '../../../authoring/taxonomy/topic-editing.service';
import { TopicsService } from '../../../catalog/discovery/topics.service';
import { NotFound } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { AdministratorPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { TopicFormPage } from './taxonomy-forms.page';
import { TopicsPage } from './topics.page';

const AT = '/dashboard/admin/topics';

@AdministratorPages('topics')
export class TopicsController {
  constructor(
    private readonly topics: TopicsService,
    private readonly editing: TopicEditingService,
  ) {}

  @Get()
  async list(): Promise<PageResult> {
    return <TopicsPage topics={await this.topics.tree()} form={new Form()} />;
  }

  @Get('new')
  blank(): PageResult {
    return <TopicFormPage topic={null} form={new Form()} />;
  }

  @Post()
  async add(@CurrentViewer() viewer: Viewer, @PostedForm() form: Form): Promise<PageResult> {
    const added = await attempt(form, async () => this.editing.add(viewer, read(form)));
    if (added instanceof Form) return invalid(added, <TopicFormPage topic={null} form={added} />);
    return redirect(`${AT}#topic-${added.id}`, `The topic “${added.name}” is added.`);
  }

  @Get(':id/edit')
  async edit(@Param('id') id: string): Promise<PageResult> {
    const topic = await this.find(id);
    const { name, slug, icon } = topic;
    return (
      <TopicFormPage
        topic={topic}
        form={new Form({ name, slug, icon: icon ?? '', version: versionOf(topic) })}
      />
    );
  }

  @Post(':id/edit')
  async save(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const saved = await attempt(form, async () =>
      this.editing.edit(viewer, id, read(form), form.text('version')),
    );
    if (saved instanceof Form)
      return invalid(saved, <TopicFormPage topic={await this.find(id)} form={saved} />);
    return redirect(`${AT}#topic-${saved.id}`, `The topic “${saved.name}” is saved.`);
  }

  @Post(':id/move')
  async move(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const topic = await this.editing.move(viewer, id, form.text('by') === 'up' ? 'up' : 'down');
    return redirect(`${AT}#topic-${topic.id}`);
  }

  @Post(':id/delete')
  async remove(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const deleted = await attempt(form, () => this.editing.delete(viewer, id));
    if (deleted instanceof Form)
      return invalid(deleted, <TopicsPage topics={await this.topics.tree()} form={deleted} />);
    return redirect(AT, `The topic “${deleted.name}” is deleted.`);
  }

  private async find(id: string) {
    const topic = (await this.topics.tree()).find((it) => it.id === id.toLowerCase());
    if (!topic) throw new NotFound('Topic');
    return topic;
  }
}

/** @throws Invalid */
const read = (form: Form) =>
  readBody(TopicRequest, {
    name: form.text('name'),
    slug: form.text('slug'),
    icon: form.text('icon'),
  });
