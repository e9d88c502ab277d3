import type { TopicWithCategories } from '../../../catalog/discovery/discovery.service';
import { Confirm } from '../../components/confirm';
import { EmptyState, Table } from '../../components/table';
import { FormErrors } from '../../components/fields';
import { Icon } from '../../components/icon';
import { MoveButtons } from '../../components/move-buttons';
import { Page } from '../../components/page';
import { count } from '../../components/format';
import type { Form } from '../../http/form';

const AT = '/dashboard/admin/topics';

/** The hierarchy as a tree: topics in order, and their categories. */
export function TopicsPage({ topics, form }: { topics: TopicWithCategories[]; form: Form }) {
  return (
    <Page
      title="Topics"
      help="Topics contain categories; categories contain quizzes. Counts include public quizzes only."
      action={
        <a class="btn" href={`${AT}/new`}>
          <Icon name="plus" /> New topic
        </a>
      }
    >
      <FormErrors form={form} />
      {topics.length === 0 ? (
        <EmptyState title="No topics yet">
          <p>Quizzes can have a category of any name; topics put them in order.</p>
        </EmptyState>
      ) : (
        topics.map((topic, index) => (
          <TopicSection
            key={topic.id}
            topic={topic}
            first={index === 0}
            last={index === topics.length - 1}
          />
        ))
      )}
    </Page>
  );
}

function TopicSection({
  topic,
  first,
  last,
}: {
  topic: TopicWithCategories;
  first: boolean;
  last: boolean;
}) {
  const quizzes = topic.categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
  return (
    <section class="section topic" id={`topic-${topic.id}`} aria-label={topic.name}>
      <div class="section-head">
        <div class="topic-name">
          <h2>
            {topic.icon && <span class="emoji">{topic.icon} </span>}
            {topic.name}
          </h2>
          <p class="muted">
            <span class="mono">{topic.slug}</span> · {count(quizzes, 'quiz', 'quizzes')}
          </p>
        </div>
        <div class="buttons">
          <MoveButtons
            action={`${AT}/${topic.id}/move`}
            name={topic.name}
            first={first}
            last={last}
          />
          <a
            class="btn"
            data-variant="outline"
            data-size="sm"
            href={`${AT}/${topic.id}/edit`}
            aria-label={`Edit ${topic.name}`}
          >
            Edit
          </a>
          {topic.categories.length === 0 && (
            <Confirm
              label="Delete"
              action={`${AT}/${topic.id}/delete`}
              question={`Delete the topic “${topic.name}”?`}
              effect="It has no categories, so no quiz changes."
              button="Delete topic"
            />
          )}
          <a
            class="btn"
            data-variant="outline"
            data-size="sm"
            href={`/dashboard/admin/categories/new?topic=${topic.id}`}
            aria-label={`New category in ${topic.name}`}
          >
            <Icon name="plus" /> Category
          </a>
        </div>
      </div>
      {topic.categories.length > 0 && <CategoryTable topic={topic} />}
    </section>
  );
}

function CategoryTable({ topic }: { topic: TopicWithCategories }) {
  const { categories } = topic;
  return (
    <Table
      label={`Categories of ${topic.name}`}
      rows={categories}
      rowKey={({ id }) => id}
      columns={[
        { title: 'Category', cell: ({ name }) => <strong class="clip">{name}</strong> },
        { title: 'Slug', cell: ({ slug }) => <span class="mono">{slug}</span> },
        {
          title: 'Quizzes',
          kind: 'number',
          cell: ({ quizCount }) => quizCount.toLocaleString('en'),
        },
        {
          title: 'Actions',
          kind: 'actions',
          cell: (category) => (
            <div>
              <MoveButtons
                action={`/dashboard/admin/categories/${category.id}/move`}
                name={category.name}
                first={category === categories[0]}
                last={category === categories.at(-1)}
              />
              <a
                class="btn"
                data-variant="outline"
                data-size="sm"
                href={`/dashboard/admin/categories/${category.id}/edit`}
                aria-label={`Edit ${category.name}`}
              >
                Edit
              </a>
              <Confirm
                label="Delete"
                action={`/dashboard/admin/categories/${category.id}/delete`}
                question={`Delete the category “${category.name}”?`}
                effect="Its quizzes keep the category name but no longer belong to a topic."
                button="Delete category"
              />
            </div>
          ),
        },
      ]}
    />
  );
}
