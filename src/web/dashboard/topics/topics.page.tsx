import { versionOf } from '../../../authoring/taxonomy/taxonomy.rules';
import type {
  CategoryWithCounts,
  TopicWithCategories,
} from '../../../catalog/discovery/discovery.dto';
import { Confirm, LinkButton, MoveButtons } from '../../components/button';
import { SelectField, TextInput, VersionField } from '../../components/fields';
import { count } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { EmptyState, Table } from '../../components/table';
import type { Form } from '../../http/form';

const TOPICS = '/dashboard/admin/topics';
const CATEGORIES = '/dashboard/admin/categories';
const BACK = { href: TOPICS, label: 'Topics' };

/** The taxonomy as a tree: topics in order, and their categories. */
export function TopicsPage({ topics, form }: { topics: TopicWithCategories[]; form: Form }) {
  return (
    <Page
      title="Topics"
      help="Topics contain categories; categories contain quizzes. Counts include public quizzes only."
      action={<LinkButton look="primary" icon="plus" href={`${TOPICS}/new`} text="New topic" />}
      form={form}
    >
      {topics.length === 0 && (
        <EmptyState
          title="No topics yet"
          text="Quizzes can have a category of any name; topics group categories."
        />
      )}
      {topics.map((topic, at) => (
        <TopicSection topic={topic} at={at} count={topics.length} />
      ))}
    </Page>
  );
}

function TopicSection(props: { topic: TopicWithCategories; at: number; count: number }) {
  const { id, name, slug, icon, categories } = props.topic;
  const quizzes = categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
  return (
    <section class="section topic" id={`topic-${id}`} aria-label={name}>
      <div class="section-head">
        <div class="topic-name">
          <h2>
            {icon && <span class="emoji">{icon} </span>}
            {name}
          </h2>
          <p class="muted">
            <span class="mono">{slug}</span> · {count(quizzes, 'quiz', 'quizzes')}
          </p>
        </div>
        <div class="buttons">
          <MoveButtons
            action={`${TOPICS}/${id}/move`}
            name={name}
            at={props.at}
            count={props.count}
          />
          <LinkButton href={`${TOPICS}/${id}/edit`} label={`Edit ${name}`} text="Edit" />
          {categories.length === 0 && (
            <Confirm
              label="Delete"
              action={`${TOPICS}/${id}/delete`}
              question={`Delete the topic “${name}”?`}
              effect="It has no categories, so no quiz changes."
              button="Delete topic"
            />
          )}
          <LinkButton
            icon="plus"
            href={`${CATEGORIES}/new?topic=${id}`}
            label={`New category in ${name}`}
            text="Category"
          />
        </div>
      </div>
      <Table
        label={`Categories of ${name}`}
        rows={categories}
        columns={{
          Category: (category) => <strong class="clip">{category.name}</strong>,
          Slug: (category) => <span class="mono">{category.slug}</span>,
          Quizzes: ({ quizCount }) => quizCount,
          Actions: (category) => {
            const at = `${CATEGORIES}/${category.id}`;
            const place = { at: categories.indexOf(category), count: categories.length };
            return (
              <div>
                <MoveButtons action={`${at}/move`} name={category.name} {...place} />
                <LinkButton href={`${at}/edit`} label={`Edit ${category.name}`} text="Edit" />
                <Confirm
                  label="Delete"
                  action={`${at}/delete`}
                  question={`Delete the category “${category.name}”?`}
                  effect="Its quizzes keep the category name but no longer belong to a topic."
                  button="Delete category"
                />
              </div>
            );
          },
        }}
      />
    </section>
  );
}

/** @param topic null: a new one */
export function TopicFormPage({ topic, form }: { topic: TopicWithCategories | null; form: Form }) {
  return (
    <FormPage
      title={topic ? `Edit “${topic.name}”` : 'New topic'}
      help={topic ? undefined : 'It is added at the end.'}
      back={BACK}
      form={form}
      action={topic ? `${TOPICS}/${topic.id}/edit` : TOPICS}
      button={topic ? 'Save' : 'Add topic'}
    >
      {topic && <VersionField version={versionOf(topic)} />}
      <NameAndSlug of={topic} />
      <TextInput
        name="icon"
        label="Icon"
        initial={topic?.icon ?? ''}
        help="An emoji, such as 🌍. May be empty."
      />
    </FormPage>
  );
}

function NameAndSlug({ of }: { of: { name: string; slug: string } | null }) {
  return (
    <>
      <TextInput name="name" label="Name" initial={of?.name} autofocus={!of} />
      <TextInput
        name="slug"
        label="Slug"
        initial={of?.slug}
        help="The name in addresses: world-history. Leave empty to generate it from the name. Integrations may rely on it, so avoid changing it."
      />
    </>
  );
}

/** @param category null: a new one */
export function CategoryFormPage({
  topics,
  topicId,
  category,
  form,
}: {
  topics: TopicWithCategories[];
  /** The category's values; for a new one, the suggested ones. */
  topicId: string;
  category: CategoryWithCounts | null;
  form: Form;
}) {
  return (
    <FormPage
      title={category ? `Edit “${category.name}”` : 'New category'}
      help={
        category
          ? 'Its quizzes get a new name at once.'
          : 'Quizzes that already have a category of this name belong to it from now on.'
      }
      back={BACK}
      form={form}
      action={category ? `${CATEGORIES}/${category.id}/edit` : CATEGORIES}
      button={category ? 'Save' : 'Add category'}
    >
      {category && <VersionField version={versionOf({ ...category, topicId })} />}
      <NameAndSlug of={category} />
      <SelectField
        name="topicId"
        label="Topic"
        initial={topicId}
        help={category ? 'In another topic it becomes the last category.' : undefined}
        options={topics.map(({ id, name, icon }) => ({
          value: id,
          label: icon ? `${icon} ${name}` : name,
        }))}
      />
    </FormPage>
  );
}
