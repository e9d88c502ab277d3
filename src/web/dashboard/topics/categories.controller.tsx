import { Get, Param, Post } from '@nestjs/common';
import { CategoryEditingService } from '../../../authoring/taxonomy/category-editing.service';
import { versionOf } from '../../../authoring/taxonomy/taxonomy-version.rules';
import { CategoryRequest } from '../../../authoring/taxonomy/taxonomy.request';
import { TopicsService } from '../../../catalog/discovery/topics.service';
import { Invalid, NotFound } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { AdministratorPages, QueryText } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { CategoryFormPage } from './taxonomy-forms.page';

const AT = '/dashboard/admin/topics';

@AdministratorPages('categories')
export class CategoriesController {
  constructor(
    private readonly topics: TopicsService,
    private readonly editing: CategoryEditingService,
  ) {}

  @Get('new')
  blank(@QueryText('topic') topicId: string): Promise<PageResult> {
    return this.page(null, new Form({ topicId }));
  }

  @Post()
  async add(@CurrentViewer() viewer: Viewer, @PostedForm() form: Form): Promise<PageResult> {
    const added = await attempt(form, async () => this.editing.add(viewer, read(form)));
    if (added instanceof Form) return invalid(added, await this.page(null, added));
    return redirect(`${AT}#topic-${added.topicId}`, `The category “${added.name}” is added.`);
  }

  @Get(':id/edit')
  edit(@Param('id') id: string): Promise<PageResult> {
    return this.page(id, null);
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
    if (saved instanceof Form) return invalid(saved, await this.page(id, saved));
    return redirect(`${AT}#topic-${saved.topicId}`, `The category “${saved.name}” is saved.`);
  }

  @Post(':id/move')
  async move(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const { topicId } = await this.editing.move(
      viewer,
      id,
      form.text('by') === 'up' ? 'up' : 'down',
    );
    return redirect(`${AT}#topic-${topicId}`);
  }

  @Post(':id/delete')
  async remove(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { name, topicId } = await this.editing.delete(viewer, id);
    return redirect(`${AT}#topic-${topicId}`, `The category “${name}” is deleted.`);
  }

  /** @param form null: as the category is */
  private async page(id: string | null, form: Form | null) {
    const topics = await this.topics.tree();
    const owner = topics.find((topic) =>
      topic.categories.some((it) => it.id === id?.toLowerCase()),
    );
    const category = owner?.categories.find((it) => it.id === id?.toLowerCase()) ?? null;
    if (id !== null && !category) throw new NotFound('Category');
    const version = owner && category && versionOf({ ...category, topicId: owner.id });
    const shown =
      form ??
      new Form({
        name: category?.name ?? '',
        slug: category?.slug ?? '',
        topicId: owner?.id ?? '',
        version: version ?? '',
      });
    return <CategoryFormPage {...{ topics, category, version: version ?? null }} form={shown} />;
  }
}

/** @throws Invalid */
function read(form: Form): CategoryRequest {
  const topicId = form.text('topicId');
  if (!topicId)
    throw new Invalid('The form', [
      { path: 'topicId', message: 'Choose a topic', code: 'required' },
    ]);
  return readBody(CategoryRequest, { name: form.text('name'), slug: form.text('slug'), topicId });
}
