import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import { isInUse } from '../../catalog/discovery/discovery.service';
import { DIFFICULTIES, type Difficulty, QUIZ_ORDERS } from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import { isLanguage } from '../../platform/messages/languages';
import { languageName } from '../../platform/text/language.rules';
import { Icon } from '../components/button';
import { FormScope, Select, TextInput } from '../components/fields';
import { parametersOf, withParameter } from '../components/format';
import { EmptyState, type PageOf, Pager, Tabs } from '../components/table';
import { type TopicLook, topicLook } from '../components/topic-look';
import { Form } from '../http/form';
import { useMessages, usePage } from '../http/page-context';
import { QuizCards, type QuizOnCard, SitePage } from './site.page';

const AT = '/play';
/** The maximum length of a search, and of what the URL has of a category or a code, in characters. */
export const LONGEST = LIMITS.requests.queryText.value;
/** The order of a URL that names none. */
export const DEFAULT_SORT = 'popular';

/** The filters and the order that a visitor has chosen. */
export interface Chosen {
  q: string;
  topic: TopicWithCategories | undefined;
  category: string;
  difficulty: Difficulty | undefined;
  /** The language of the quizzes. */
  language: string | undefined;
  sort: (typeof QUIZ_ORDERS)[number];
}

/** The catalogue's URL with some filters replaced. */
function hrefWith(
  { q, topic, category, difficulty, language, sort }: Chosen,
  other: Partial<Record<'topic' | 'category' | 'sort', string>> = {},
) {
  const all = { q, topic: topic?.slug, category, difficulty, language, sort, ...other };
  if (all.sort === DEFAULT_SORT) all.sort = '';
  const given = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length > 0 ? `${AT}?${new URLSearchParams(given).toString()}` : AT;
}

export function CataloguePage({
  topics,
  languages,
  chosen,
  quizzes,
  page,
  total,
  code,
}: {
  topics: TopicWithCategories[];
  /** The languages of public quizzes, the most used first. */
  languages: readonly string[];
  chosen: Chosen;
  quizzes: QuizOnCard[];
  page: PageOf;
  total: number;
  /** The form of a short code. */
  code: Form;
}) {
  const { baseUrl, messages, path } = usePage();
  const { t } = messages;
  const { q, topic, category } = chosen;
  const inTopic = topic ?? topics.find((it) => it.categories.some(({ name }) => name === category));
  const subject = category || topic?.name;
  const title = subject ? t('catalogue.of', { subject }) : t('catalogue.title');
  const isFirst = page.number === 1;
  const language = parametersOf(path).get('lang');
  const here = hrefWith(chosen);
  const address = isFirst ? here : withParameter(here, 'page', page.number);
  const canonical = isLanguage(language) ? withParameter(address, 'lang', language) : address;
  return (
    <SitePage
      path={address}
      title={isFirst ? title : t('catalogue.page', { title, number: page.number })}
      description={subject ? t('catalogue.descriptionOf', { subject }) : t('catalogue.description')}
      head={
        <>
          <link rel="canonical" href={baseUrl + canonical} />
          {(q || quizzes.length === 0) && <meta name="robots" content="noindex" />}
        </>
      }
    >
      <div class="catalogue-head">
        <h1>{title}</h1>
        <CodeForm code={code} />
      </div>
      <SearchForm
        chosen={chosen}
        languages={languages}
        label={subject ? t('catalogue.searchIn', { subject }) : t('catalogue.searchAll')}
      />
      <TopicChoices topics={topics} chosen={chosen} inTopic={inTopic} />
      {inTopic && <CategoryChoices topic={inTopic} chosen={chosen} />}
      <Orders chosen={chosen} />
      {quizzes.length > 0 && <QuizCards quizzes={quizzes} topics={topics} />}
      {total === 0 && <NothingFound q={q} />}
      <Pager page={page} total={total} at={here} />
    </SitePage>
  );
}

function CodeForm({ code }: { code: Form }) {
  const { t } = useMessages();
  return (
    <form method="get" action={AT} class="search code-form">
      <FormScope form={code}>
        <TextInput
          name="code"
          label={t('catalogue.code')}
          maxLength={20}
          placeholder="7KQ2WX"
          autofocus={code.errors.length > 0}
        />
      </FormScope>
      <button class="btn" data-variant="outline">
        {t('catalogue.open')}
      </button>
    </form>
  );
}

/** Searches within the chosen topic or category. */
function SearchForm(props: { chosen: Chosen; languages: readonly string[]; label: string }) {
  const { chosen, languages, label } = props;
  const { q, topic, category, difficulty, language, sort } = chosen;
  const { t, locale } = useMessages();
  const levels = DIFFICULTIES.map((value) => ({ value, label: t(`difficulty.${value}`) }));
  return (
    <form method="get" action={AT} class="search" role="search">
      {category && <input type="hidden" name="category" value={category} />}
      {!category && topic && <input type="hidden" name="topic" value={topic.slug} />}
      {sort !== DEFAULT_SORT && <input type="hidden" name="sort" value={sort} />}
      <FormScope form={new Form({ q })}>
        <TextInput type="search" name="q" label={label} placeholder={label} maxLength={LONGEST} />
      </FormScope>
      <Select
        name="difficulty"
        aria-label={t('catalogue.difficulty')}
        chosen={difficulty}
        options={[{ value: '', label: t('catalogue.anyDifficulty') }, ...levels]}
      />
      {languages.length > 1 && (
        <Select
          name="language"
          aria-label={t('page.language')}
          chosen={language}
          options={[
            { value: '', label: t('catalogue.anyLanguage') },
            ...languages.map((tag) => ({ value: tag, label: languageName(tag, locale) })),
          ]}
        />
      )}
      <button class="btn">{t('catalogue.search')}</button>
    </form>
  );
}

/** @param inTopic the chosen topic, or that of the chosen category */
function TopicChoices({
  topics,
  chosen,
  inTopic,
}: {
  topics: TopicWithCategories[];
  chosen: Chosen;
  inTopic: TopicWithCategories | undefined;
}) {
  const { t } = useMessages();
  const all = {
    href: hrefWith(chosen, { topic: '', category: '' }),
    text: t('catalogue.all'),
    current: !inTopic && !chosen.category,
  };
  const each = topics
    .filter((topic) => topic === inTopic || isInUse(topic))
    .map((topic) => ({
      href: hrefWith(chosen, { topic: topic.slug, category: '' }),
      text: topic.name,
      look: topicLook(topic.slug),
      current: topic === inTopic,
    }));
  return <Choices label={t('landing.topics')} choices={[all, ...each]} />;
}

function CategoryChoices({ topic, chosen }: { topic: TopicWithCategories; chosen: Chosen }) {
  const { t } = useMessages();
  const inUse = topic.categories.filter(
    ({ name, quizCount }) => name === chosen.category || quizCount > 0,
  );
  if (inUse.length === 0) return null;
  return (
    <Choices
      label={t('catalogue.categoriesOf', { topic: topic.name })}
      choices={inUse.map(({ name, quizCount }) => ({
        href: hrefWith(chosen, { topic: '', category: name }),
        text: name,
        number: quizCount,
        current: name === chosen.category,
      }))}
    />
  );
}

function Orders({ chosen }: { chosen: Chosen }) {
  const { t } = useMessages();
  return (
    <Tabs
      label={t('catalogue.order')}
      tabs={QUIZ_ORDERS.map((sort) => ({
        href: hrefWith(chosen, { sort }),
        label: t(`order.${sort}`),
        current: sort === chosen.sort,
      }))}
    />
  );
}

function NothingFound({ q }: { q: string }) {
  const { t } = useMessages();
  return (
    <EmptyState title={t('catalogue.none')}>
      <p>{q ? t('catalogue.noMatch', { q }) : t('catalogue.empty')}</p>
      <a class="btn" data-variant="outline" href={AT}>
        {t('catalogue.showAll')}
      </a>
    </EmptyState>
  );
}

/** A list of links, one of which is chosen; it wraps. */
function Choices({
  label,
  choices,
}: {
  label: string;
  choices: { href: string; text: string; number?: number; look?: TopicLook; current: boolean }[];
}) {
  const messages = useMessages();
  return (
    <nav aria-label={label}>
      <ul class="chips">
        {choices.map(({ href, text, number, look, current }) => (
          <li>
            <a href={href} data-hue={look?.hue} aria-current={current ? 'page' : undefined}>
              {look && <Icon name={look.icon} />}
              <bdi>{text}</bdi> {number !== undefined && <small>{messages.number(number)}</small>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
