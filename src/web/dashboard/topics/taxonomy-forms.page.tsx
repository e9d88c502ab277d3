import { versionOf } from '../../../authoring/taxonomy/taxonomy-version.rules';
import type { TopicWithCategories } from '../../../catalog/discovery/discovery.service';
import { FormErrors, TextField, VersionField, SelectField } from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';

const BACK_TO_TOPICS = { href: '/dashboard/admin/topics', label: 'Topics' };

export function TopicFormPage({
  topic,
  form,
}: {
  /** null: a new one. */
  topic: TopicWithCategories | null;
  form: Form;
}) {
  return (
    <Page
      title={topic ? `Edit “${topic.name}”` : 'New topic'}
      help={topic ? undefined : 'It is added at the end.'}
      back={BACK_TO_TOPICS}
    >
      <form
        method="post"
        action={topic ? `/dashboard/admin/topics/${topic.id}/edit` : '/dashboard/admin/topics'}
        class="form"
      >
        <FormErrors form={form} />
        {topic && <VersionField form={form} version={versionOf(topic)} />}
        <TextField form={form} name="name" label="Name" autocomplete="off" autofocus={!topic} />
        <SlugField form={form} />
        <TextField
          form={form}
          name="icon"
          label="Icon"
          help="An emoji, such as 🌍. May be empty."
          autocomplete="off"
        />
        <div class="buttons">
          <button class="btn">{topic ? 'Save' : 'Add topic'}</button>
          <a class="btn" data-variant="ghost" href={BACK_TO_TOPICS.href}>
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}

/** The short name in addresses. */
function SlugField({ form }: { form: Form }) {
  return (
    <TextField
      form={form}
      name="slug"
      label="Slug"
      help="The name in addresses: world-history. Leave empty to generate it from the name. Integrations may rely on it, so avoid changing it."
      autocomplete="off"
    />
  );
}

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
