import type { TopicWithCategories } from '../../../catalog/discovery/discovery.service';
import { FormErrors, SelectField, TextField } from '../../components/fields';
import { Page } from '../../components/page';
import { VersionField } from '../../components/version-field';
import type { Form } from '../../http/form';
import { BACK_TO_TOPICS, SlugField } from './topic-form.page';

export function CategoryFormPage({
  topics,
  category,
  version,
  form,
}: {
  topics: TopicWithCategories[];
  /** null: a new one. */
  category: TopicWithCategories['categories'][number] | null;
  /** Of the category as it is now; null: a new one. */
  version: string | null;
  form: Form;
}) {
  const at = '/dashboard/admin/categories';
  return (
    <Page
      title={category ? `Edit “${category.name}”` : 'New category'}
      help={
        category
          ? 'Its quizzes follow a new name at once.'
          : 'Quizzes that have its name already belong to it from now on.'
      }
      back={BACK_TO_TOPICS}
    >
      <form method="post" action={category ? `${at}/${category.id}/edit` : at} class="form">
        <FormErrors form={form} />
        {version && <VersionField form={form} version={version} />}
        <TextField form={form} name="name" label="Name" autocomplete="off" autofocus={!category} />
        <SlugField form={form} />
        <SelectField
          form={form}
          name="topicId"
          label="Topic"
          help={category ? 'In another topic it stands last.' : undefined}
          options={topics.map(({ id, name, icon }) => ({
            value: id,
            label: icon ? `${icon} ${name}` : name,
          }))}
        />
        <div class="buttons">
          <button class="btn">{category ? 'Save' : 'Add category'}</button>
          <a class="btn" data-variant="ghost" href={BACK_TO_TOPICS.href}>
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}
