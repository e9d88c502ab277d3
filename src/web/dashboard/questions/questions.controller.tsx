import { Get, Post } from '@nestjs/common';
import { QuestionCopyingService } from '../../../authoring/questions/question-copying.service';
import {
  type ListedQuestion,
  OwnedQuestionsService,
} from '../../../catalog/questions/owned-questions.service';
import {
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { textLine } from '../../../catalog/rendering/question-html';
import { LIMITS } from '../../../platform/limits/limits';
import type { Messages } from '../../../platform/messages/messages';
import { translated } from '../../../platform/messages/refusals';
import { firstCodePoints } from '../../../platform/text/text.rules';
import { type QuestionMarks, ResultsService } from '../../../play/results/results.service';
import { BulkButton, BulkForm, Selectable, SelectAll } from '../../components/bulk';
import { LinkButton } from '../../components/button';
import { CategoryFilter, LONGEST_SEARCH, Select } from '../../components/fields';
import { Clip } from '../../components/format';
import { ListSearch } from '../../components/list-search';
import { Page } from '../../components/page';
import { Badge } from '../../components/section';
import { EmptyState, NewestFirst, Table } from '../../components/table';
import { attempt, Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect, redirectRefused } from '../../http/page-results';
import { questionHref } from '../quizzes/quiz.page';
import { backTo } from '../quizzes/quiz-parts';

const AT = '/dashboard/questions';
const PER_PAGE = 25;
/** Quizzes to which questions can be copied: those changed last. */
const OFFERED = 100;

/** Which questions the page shows. `into`: the id of the quiz that they are added to, '' on the page of all questions */
interface Shown {
  text: string;
  category: string;
  into: string;
}

const shownBy = (query: (name: string) => string): Shown => ({
  text: firstCodePoints(query('q'), LONGEST_SEARCH),
  category: firstCodePoints(query('category'), LIMITS.content.categoryName.value),
  into: query('into'),
});

function hrefOf({ text, category, into }: Shown, path = AT, after = ''): string {
  const given = Object.entries({ q: text, category, into, after }).filter(([, value]) => value);
  const query = new URLSearchParams(given).toString();
  return `${path}${query && `?${query}`}`;
}

/** All questions of the viewer's, in whatever quiz: to find, copy and move them. */
@SignedInPages('questions')
export class QuestionBankController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly questions: OwnedQuestionsService,
    private readonly copying: QuestionCopyingService,
    private readonly results: ResultsService,
  ) {}

  @Get()
  async list(@Asked() { accountId, query }: PageRequest): Promise<PageResult> {
    const shown = shownBy(query);
    const after = query('after');
    const into = shown.into ? await this.owned.get(accountId, shown.into) : null;
    const [found, categories, quizzes] = await Promise.all([
      this.questions.list(accountId, shown, { limit: PER_PAGE, after }),
      this.owned.countByCategory(accountId),
      into ? [into] : this.owned.list(accountId, {}, { limit: OFFERED, offset: 0 }),
    ]);
    const marks = await this.results.questionFigures(found.questions);
    return <QuestionBank {...{ ...found, shown, after, into, categories, quizzes, marks }} />;
  }

  /** Copies or moves the questions that are ticked. */
  @Post('copy')
  async copy(@Asked() { accountId, form, query, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const back = hrefOf(shownBy(query));
    const ids = form.all('question').slice(0, PER_PAGE);
    const target = form.text('quiz');
    if (ids.length === 0) return redirectRefused(back, t('bank.selectFirst'));
    if (target === '') return redirectRefused(back, t('bank.chooseFirst'));
    const move = form.text('act') === 'move';
    const done = await attempt(form, () => this.copying.copy(accountId, target, { ids, move }));
    if (done instanceof Form) return redirectRefused(back, refusalOf(done, messages));
    const { title } = await this.owned.get(accountId, target);
    return redirect(back, t(move ? 'bank.moved' : 'bank.added', { count: done.length, title }));
  }
}

const refusalOf = ({ errors }: Form, messages: Messages) =>
  errors.some(({ code }) => code === 'same_quiz')
    ? messages.t('bank.sameQuiz')
    : errors.map(({ message }) => translated(message, messages)).join(' ');

function QuestionBank(props: {
  questions: ListedQuestion[];
  total: number;
  next?: string;
  shown: Shown;
  after: string;
  into: OwnedQuiz | null;
  categories: { category: string; quizzes: number }[];
  quizzes: OwnedQuiz[];
  marks: Map<string, QuestionMarks>;
}) {
  const { t } = useMessages();
  const { questions, total, next, shown, into, quizzes } = props;
  const isFiltered = shown.text !== '' || shown.category !== '';
  const matches =
    total === LIMITS.requests.countedOwn.value
      ? t('bank.many', { count: total })
      : t('count.questions', { count: total });
  return (
    <Page
      title={into ? t('quiz.addFrom') : t('nav.questions')}
      help={into ? t('bank.helpInto', { title: into.title }) : t('bank.help')}
      back={into ? backTo(into) : undefined}
    >
      {(total > 0 || isFiltered) && <Search shown={shown} categories={props.categories} />}
      {total > 0 && <p class="muted">{matches}</p>}
      <Table
        label={t('nav.questions')}
        rows={questions}
        columns={[
          [t('player.question'), (question) => <SelectableQuestion question={question} />],
          [
            t('player.quiz'),
            ({ quizId, quizTitle, category }) => (
              <>
                <Clip href={`/dashboard/quizzes/${quizId}`} text={quizTitle} />
                {category && <span class="sub clip">{category}</span>}
              </>
            ),
          ],
          [
            t('catalogue.difficulty'),
            ({ id, difficulty }) => (
              <Difficulty marked={t(`difficulty.${difficulty}`)} marks={props.marks.get(id)} />
            ),
          ],
          [t('bank.check'), ({ id }) => <Marks marks={props.marks.get(id)} />],
        ]}
        empty={
          isFiltered || props.after ? <EmptyState title={t('bank.noMatch')} /> : <NoQuestions />
        }
      />
      {questions.length > 0 && (
        <Actions action={hrefOf(shown, `${AT}/copy`)} {...{ into, quizzes }} />
      )}
      <NewestFirst newest={props.after && hrefOf(shown)} older={next && hrefOf(shown, AT, next)} />
    </Page>
  );
}

function Search({ shown, categories }: { shown: Shown; categories: { category: string }[] }) {
  const { t } = useMessages();
  return (
    <ListSearch at={AT} text={shown.text} label={t('bank.search')}>
      {shown.into && <input type="hidden" name="into" value={shown.into} />}
      <CategoryFilter
        chosen={shown.category}
        categories={categories.map(({ category }) => ({ value: category, label: category }))}
      />
    </ListSearch>
  );
}

function SelectableQuestion({ question }: { question: ListedQuestion }) {
  const { t } = useMessages();
  const { id, quizId, position, type } = question;
  const text = textLine(question.text, question.format);
  return (
    <Selectable name="question" value={id} label={text}>
      <Clip href={questionHref(quizId, { id, position })} text={text} wide />
      <span class="sub">{t(`type.${type}`)}</span>
    </Selectable>
  );
}

/** As its author marked it, and as players have measured it where that differs. */
function Difficulty({ marked, marks }: { marked: string; marks: QuestionMarks | undefined }) {
  const { t } = useMessages();
  return (
    <>
      {marked}
      {marks?.measured && (
        <span class="sub">{t('bank.measured', { level: t(`level.${marks.measured}`) })}</span>
      )}
    </>
  );
}

function Marks({ marks }: { marks: QuestionMarks | undefined }) {
  const { t } = useMessages();
  const { flags = [], openReports = 0 } = marks ?? {};
  return (
    <>
      {flags.map((flag) => (
        <Badge variant="busy">{t(`mark.${flag}`)}</Badge>
      ))}
      {openReports > 0 && (
        <Badge variant="busy">{t('count.reports', { count: openReports })}</Badge>
      )}
    </>
  );
}

/** What can be done with the questions that are ticked. */
function Actions({
  action,
  into,
  quizzes,
}: {
  action: string;
  into: OwnedQuiz | null;
  quizzes: OwnedQuiz[];
}) {
  const { t } = useMessages();
  return (
    <div class="bulk toolbar">
      <SelectAll name="question" />
      {into ? (
        <>
          <input type="hidden" name="quiz" value={into.id} form="bulk" />
          <BulkButton act="copy" label={t('bank.addTo')} />
        </>
      ) : (
        <>
          <Select
            name="quiz"
            form="bulk"
            required
            aria-label={t('player.quiz')}
            chosen=""
            options={[
              { value: '', label: t('bank.chooseQuiz') },
              ...quizzes.map(({ id, title }) => ({ value: id, label: title })),
            ]}
          />
          <BulkButton act="copy" label={t('copy.copy')} />
          <BulkButton act="move" label={t('do.move')} />
        </>
      )}
      <BulkForm action={action} />
    </div>
  );
}

function NoQuestions() {
  const { t } = useMessages();
  return (
    <EmptyState title={t('quiz.noQuestions')}>
      <p>{t('bank.noneText')}</p>
      <LinkButton look="outline" href="/dashboard/quizzes/new" text={t('quizzes.write')} />
    </EmptyState>
  );
}
