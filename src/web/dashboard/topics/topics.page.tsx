import { versionOf } from '../../../authoring/taxonomy/taxonomy.rules';
import type {
  CategoryWithCounts,
  TopicWithCategories,
} from '../../../catalog/discovery/discovery.dto';
import type { Messages } from '../../../platform/messages/messages';
import { Confirm, Icon, LinkButton, Menu, MoveButtons } from '../../components/button';
import { SelectField, TextInput, VersionField } from '../../components/fields';
import { FormPage, Page } from '../../components/page';
import { EmptyState } from '../../components/table';
import { topicLook } from '../../components/topic-look';
import { assetPath } from '../../http/assets';
import type { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';

const TOPICS = '/dashboard/admin/topics';
const CATEGORIES = '/dashboard/admin/categories';
const backToTopics = ({ t }: Messages) => ({ href: TOPICS, label: t('nav.topics') });

/**
 * Shows the taxonomy as one list: topics in order, and in each its categories. A row is dragged to its place
 * (topics.js), or moved by its menu.
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
  const { t } = useMessages();
  return (
    <Page
      title={t('nav.topics')}
      help={t('topics.help')}
      action={
        <LinkButton look="primary" icon="plus" href={`${TOPICS}/new`} text={t('topics.new')} />
      }
      head={<script defer src={assetPath('topicsScript')}></script>}
      form={form}
    >
      {topics.length === 0 ? (
        <EmptyState title={t('topics.none')} text={t('topics.noneText')} />
      ) : (
        <ol class="panel taxonomy" aria-label={t('nav.topics')} data-sortable={t('topics.drag')}>
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
  const { t } = useMessages();
  const move = `${TOPICS}/${id}/move`;
  return (
    <li id={`topic-${id}`} data-move={move}>
      <details class="topic" open={props.isOpen}>
        <summary>
          <Icon name="down" />
          <TopicBadge slug={slug} emoji={icon} />
          <strong>{name}</strong>
          <span class="muted small">
            <Slug of={slug} />
            {t('landing.inTopic', { categories: categories.length, quizzes })}
          </span>
        </summary>
        {categories.length > 0 && (
          <ol
            aria-label={t('catalogue.categoriesOf', { topic: name })}
            data-sortable={t('topics.drag')}
          >
            {categories.map((category, at) => (
              <CategoryRow category={category} at={at} count={categories.length} />
            ))}
          </ol>
        )}
        <div class="buttons">
          <LinkButton
            icon="plus"
            href={`${CATEGORIES}/new?topic=${id}`}
            label={t('topics.newIn', { name })}
            text={t('topics.category')}
          />
        </div>
      </details>
      <Menu label={t('do.actionsOf', { name })} group="taxonomy" isOpen={false}>
        <MoveButtons action={move} name={name} at={props.at} count={props.count} />
        <LinkButton
          href={`${TOPICS}/${id}/edit`}
          label={t('do.editIt', { name })}
          text={t('do.edit')}
        />
        {categories.length === 0 && (
          <Confirm
            label={t('do.delete')}
            action={`${TOPICS}/${id}/delete`}
            question={t('topics.deleteTopic', { name })}
            effect={t('topics.deleteTopicEffect')}
            button={t('topics.deleteTopicButton')}
          />
        )}
      </Menu>
    </li>
  );
}

/** Shows the icon that a topic has on other pages, or its emoji if that icon is the one of any topic. */
function TopicBadge({ slug, emoji }: { slug: string; emoji: string | null }) {
  const { hue, icon } = topicLook(slug);
  return (
    <span class="badge" data-hue={hue} aria-hidden="true">
      {icon === 'shapes' && emoji ? emoji : <Icon name={icon} />}
    </span>
  );
}

const Slug = ({ of }: { of: string }) => (
  <span class="slug">
    <span class="mono">{of}</span> ·{' '}
  </span>
);

function CategoryRow(props: { category: CategoryWithCounts; at: number; count: number }) {
  const { id, name, slug, quizCount } = props.category;
  const { t } = useMessages();
  const url = `${CATEGORIES}/${id}`;
  return (
    <li data-move={`${url}/move`}>
      <span class="clip">{name}</span>
      <span class="muted small">
        <Slug of={slug} />
        {t('count.quizzes', { count: quizCount })}
      </span>
      <Menu label={t('do.actionsOf', { name })} group="taxonomy" isOpen={false}>
        <MoveButtons action={`${url}/move`} name={name} at={props.at} count={props.count} />
        <LinkButton href={`${url}/edit`} label={t('do.editIt', { name })} text={t('do.edit')} />
        <Confirm
          label={t('do.delete')}
          action={`${url}/delete`}
          question={t('topics.deleteCategory', { name })}
          effect={t('topics.deleteCategoryEffect')}
          button={t('topics.deleteCategoryButton')}
        />
      </Menu>
    </li>
  );
}

/** @param topic null for a new one */
export function TopicFormPage({ topic, form }: { topic: TopicWithCategories | null; form: Form }) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <FormPage
      title={topic ? t('topics.edit', { name: topic.name }) : t('topics.new')}
      help={topic ? undefined : t('topics.newHelp')}
      back={backToTopics(messages)}
      form={form}
      action={topic ? `${TOPICS}/${topic.id}/edit` : TOPICS}
      button={t(topic ? 'do.save' : 'topics.addTopic')}
    >
      {topic && <VersionField version={versionOf(topic)} />}
      <NameAndSlug of={topic} />
      <TextInput
        name="icon"
        label={t('topics.icon')}
        initial={topic?.icon ?? ''}
        help={t('topics.iconHelp')}
      />
    </FormPage>
  );
}

function NameAndSlug({ of }: { of: { name: string; slug: string } | null }) {
  const { t } = useMessages();
  return (
    <>
      <TextInput name="name" label={t('field.name')} initial={of?.name} autofocus={!of} />
      <TextInput
        name="slug"
        label={t('topics.slug')}
        initial={of?.slug}
        help={t('topics.slugHelp')}
      />
    </>
  );
}

/** @param category null for a new one */
export function CategoryFormPage({
  topics,
  topicId,
  category,
  form,
}: {
  topics: TopicWithCategories[];
  /** The topic of the category; for a new one, the topic that is suggested. */
  topicId: string;
  category: CategoryWithCounts | null;
  form: Form;
}) {
  const messages = useMessages();
  const { t } = messages;
  return (
    <FormPage
      title={category ? t('topics.edit', { name: category.name }) : t('topics.newCategory')}
      help={t(category ? 'topics.categoryHelp' : 'topics.newCategoryHelp')}
      back={backToTopics(messages)}
      form={form}
      action={category ? `${CATEGORIES}/${category.id}/edit` : CATEGORIES}
      button={t(category ? 'do.save' : 'topics.addCategory')}
    >
      {category && <VersionField version={versionOf({ ...category, topicId })} />}
      <NameAndSlug of={category} />
      <SelectField
        name="topicId"
        label={t('topics.topic')}
        initial={topicId}
        help={category ? t('topics.otherTopic') : undefined}
        options={topics.map(({ id, name, icon }) => ({
          value: id,
          label: icon ? `${icon} ${name}` : name,
        }))}
      />
    </FormPage>
  );
}
