import { versionOf } from '../../../authoring/taxonomy/taxonomy.rules';
import type {
  CategoryWithCounts,
  TopicWithCategories,
} from '../../../catalog/discovery/discovery.dto';
import { Confirm, LinkButton, Menu, MoveButtons } from '../../components/button';
import { SelectField, TextInput, VersionField } from '../../components/fields';
import { count } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { EmptyState } from '../../components/table';
import { assetPath } from '../../http/assets';
import type { Form } from '../../http/form';

const TOPICS = '/dashboard/admin/topics';
const CATEGORIES = '/dashboard/admin/categories';
const BACK = { href: TOPICS, label: 'Topics' };

/**
 * The taxonomy as one list: topics in order, and in each its categories. A row is dragged to its place (topics.js); its
 * menu moves it as well.
 */
export function TopicsPage({
  topics,
  open,
  form,
}: {
  topics: TopicWithCategories[];
  /** The id of the topic that shows its categories; '' for none. */
  open: string;
  form: Form;
}) {
  return (
    <Page
      title="Topics"
      help="Topics contain categories; categories contain quizzes. Counts include public quizzes only."
      action={<LinkButton look="primary" icon="plus" href={`${TOPICS}/new`} text="New topic" />}
      head={<script defer src={assetPath('topicsScript')}></script>}
      form={form}
    >
      {topics.length === 0 ? (
        <EmptyState
          title="No topics yet"
          text="Quizzes can have a category of any name; topics group categories."
        />
      ) : (
        <ol class="panel taxonomy" aria-label="Topics" data-sortable>
          {topics.map((topic, at) => (
            <TopicRow topic={topic} at={at} count={topics.length} isOpen={topic.id === open} />
          ))}
        </ol>
      )}
    </Page>
  );
}

function TopicRow(props: {
  topic: TopicWithCategories;
  at: number;
  count: number;
  isOpen: boolean;
}) {
  const { id, name, slug, icon, categories } = props.topic;
  const quizzes = categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
  const move = `${TOPICS}/${id}/move`;
  return (
    <li id={`topic-${id}`} data-move={move}>
      <details class="topic" open={props.isOpen}>
        <summary>
          <strong>
            {icon && <span class="emoji">{icon} </span>}
            {name}
          </strong>
          <span class="muted small">
            <span class="mono">{slug}</span> · {count(categories.length, 'category', 'categories')}{' '}
            · {count(quizzes, 'quiz', 'quizzes')}
          </span>
        </summary>
        {categories.length > 0 && (
          <ol aria-label={`Categories of ${name}`} data-sortable>
            {categories.map((category, at) => (
              <CategoryRow category={category} at={at} count={categories.length} />
            ))}
          </ol>
        )}
        <div class="buttons">
          <LinkButton
            icon="plus"
            href={`${CATEGORIES}/new?topic=${id}`}
            label={`New category in ${name}`}
            text="Category"
          />
        </div>
      </details>
      <Menu label={`Actions of ${name}`} group="taxonomy" isOpen={false}>
        <MoveButtons action={move} name={name} at={props.at} count={props.count} />
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
      </Menu>
    </li>
  );
}

function CategoryRow(props: { category: CategoryWithCounts; at: number; count: number }) {
  const { id, name, slug, quizCount } = props.category;
  const url = `${CATEGORIES}/${id}`;
  return (
    <li data-move={`${url}/move`}>
      <span class="clip">{name}</span>
      <span class="muted small">
        <span class="mono">{slug}</span> · {count(quizCount, 'quiz', 'quizzes')}
      </span>
      <Menu label={`Actions of ${name}`} group="taxonomy" isOpen={false}>
        <MoveButtons action={`${url}/move`} name={name} at={props.at} count={props.count} />
        <LinkButton href={`${url}/edit`} label={`Edit ${name}`} text="Edit" />
        <Confirm
          label="Delete"
          action={`${url}/delete`}
          question={`Delete the category “${name}”?`}
          effect="Its quizzes keep the category name but no longer belong to a topic."
          button="Delete category"
        />
      </Menu>
    </li>
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
