import type {
  OwnedQuestion,
  OwnedQuizDetail,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { textLine } from '../../../catalog/rendering/question-html';
import { EXPORT_NAMES, exportOf } from '../../../import-export/formats/formats';
import { LIMITS } from '../../../platform/limits/limits';
import type { MessageKey } from '../../../platform/messages/messages';
import { languageName } from '../../../platform/text/language.rules';
import { inLanguage } from '../../components/author-text';
import { Confirm, Icon, LinkButton, Menu, MoveButtons, PostButton } from '../../components/button';
import { Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Facts, Note, Panel, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager } from '../../components/table';
import type { Form } from '../../http/form';
import { useMayWrite, useMessages } from '../../http/page-context';
import { duration } from '../../player/player.rules';
import { QuizAttention, type ResultsOfQuiz } from './quiz-attention';
import { backToQuizzes, QuestionTexts, StateBadge } from './quiz-parts';

export const QUESTIONS_PER_PAGE = LIMITS.content.questionsPerPage.value;

/** The page of a quiz that shows the question at a position. */
export function questionsHref(quizId: string, position: number): string {
  const page = Math.ceil(position / QUESTIONS_PER_PAGE);
  return `/dashboard/quizzes/${quizId}${page > 1 ? `?page=${page}` : ''}`;
}

/** A question on its quiz's pages. */
export const questionHref = (quizId: string, { id, position }: { id: string; position: number }) =>
  `${questionsHref(quizId, position)}#question-${id}`;

/** Where copies of other questions are added to the quiz. */
export const addFromHref = (quizId: string) => `/dashboard/questions?into=${quizId}`;

interface Shown {
  quiz: OwnedQuizDetail;
  /** Of its questions. */
  page: PageOf;
  at: string;
  /** The id of the question whose menu is open; '' for none. */
  open: string;
}

type PlayedQuiz = { form: Form; results: ResultsOfQuiz };

function helpOf({ state }: OwnedQuizDetail, isShared: boolean, mayPublish: boolean): MessageKey {
  if (state === 'draft' && isShared) return 'quiz.help.shared';
  return state === 'draft' && !mayPublish ? 'quiz.help.private' : `quiz.help.${state}`;
}

/** One quiz of the viewer's: its state, its texts, its questions. */
export function QuizPage({ quiz, page, open, form, results }: Omit<Shown, 'at'> & PlayedQuiz) {
  const messages = useMessages();
  const { t } = messages;
  const at = `/dashboard/quizzes/${quiz.id}`;
  const mayPublish = useMayWrite();
  return (
    <Page
      title={quiz.title}
      language={quiz.language}
      help={t(helpOf(quiz, results.openLinks.count > 0, mayPublish))}
      back={backToQuizzes(messages)}
      action={<NextStep quiz={quiz} at={at} />}
      form={form}
    >
      <UnpublishableQuestions quiz={quiz} form={form} />
      {quiz.state === 'rejected' && (
        <Note variant="bad" title={t('quiz.rejected')}>
          <p class="said">{quiz.rejectionReason}</p>
          <PostButton action={`${at}/resubmit`} text={t('quiz.resubmit')} />
        </Note>
      )}
      <QuizAttention quiz={quiz} of={results} />
      <About quiz={quiz} at={at} players={results.players ?? 0} canShare={results.canShare} />
      <Questions {...{ quiz, at, page, open }} />
      <Section title={t('do.export')} help={t('quiz.exportHelp')}>
        <div class="buttons after">
          {EXPORT_NAMES.map((format) => (
            <LinkButton href={`${at}/export?format=${format}`} text={exportOf(format).title} />
          ))}
        </div>
      </Section>
      <Section
        title={t('do.delete')}
        help={quiz.published ? t('quiz.deleteHelpPublic') : t('quiz.deleteHelp')}
      >
        <div class="buttons after">
          <Confirm
            label={t('quiz.delete')}
            action={`${at}/delete`}
            question={t('quiz.deleteIt', { title: quiz.title })}
            effect={t('quiz.deleteEffect', { count: quiz.questionCount })}
          />
        </div>
      </Section>
    </Page>
  );
}

/** What keeps the quiz from being published, with links to the questions. */
function UnpublishableQuestions({ quiz, form }: { quiz: OwnedQuizDetail; form: Form }) {
  const messages = useMessages();
  const { t } = messages;
  const found = form.errors.flatMap(({ path }) => {
    const [, index] = /^questions\[(\d+)\]/.exec(path) ?? [];
    return index === undefined ? [] : [{ path, position: Number(index) + 1 }];
  });
  if (found.length === 0) return null;
  return (
    <div class="form-errors" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <ul>
        {found.map(({ path, position }) => (
          <li>
            {form.errorsOf(path, messages).join(' ')}{' '}
            <Link to={editHref(quiz, position)}>
              {t('quiz.editQuestion', { number: position })}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Where a question is edited, or its page in a long quiz. */
function editHref(quiz: OwnedQuizDetail, position: number): string {
  const question = quiz.questions.find((it) => it.position === position);
  if (!question) return questionsHref(quiz.id, position);
  return `/dashboard/quizzes/${quiz.id}/questions/${question.id}/edit`;
}

/** Publish, and once that is done, Share. */
function NextStep({ quiz, at }: Pick<Shown, 'quiz' | 'at'>) {
  const { t } = useMessages();
  const mayPublish = useMayWrite();
  const isReady = quiz.questionCount > 0;
  const canPublish = isReady && quiz.state === 'draft' && mayPublish;
  return (
    <div class="buttons">
      {quiz.state === 'live' && (
        <LinkButton look="outline" href={`/play/${quiz.slug}`} text={t('site.play')} />
      )}
      <LinkButton look={isReady ? 'outline' : 'primary'} href={`${at}/edit`} text={t('do.edit')} />
      {isReady && (
        <LinkButton
          look={canPublish ? 'outline' : 'primary'}
          href={`${at}/share`}
          label={t('quiz.sharePrint')}
          text={t('quiz.share')}
        />
      )}
      {canPublish && <PostButton look="primary" action={`${at}/publish`} text={t('do.publish')} />}
    </div>
  );
}

/** What is set, as chips; the rest is under Details. */
function About({
  quiz,
  at,
  players,
  canShare,
}: Pick<Shown, 'quiz' | 'at'> & { players: number; canShare: boolean }) {
  const messages = useMessages();
  const { rich, t } = messages;
  const mayPublish = useMayWrite();
  const chips = [
    t('count.questions', { count: quiz.questionCount }),
    t('count.players', { count: players }),
    t(`difficulty.${quiz.difficulty}`),
    quiz.language && languageName(quiz.language, messages.language),
    quiz.category,
    ...quiz.tags.map((tag) => `#${tag}`),
    quiz.timeLimit && t('quiz.timeLimit', { time: duration(quiz.timeLimit, messages) }),
    quiz.maxAttempts && t('quiz.attempts', { count: quiz.maxAttempts }),
    quiz.acceptTypos && t('quiz.typos'),
    quiz.questionsPerAttempt && t('quiz.drawn', { count: quiz.questionsPerAttempt }),
  ].filter((chip): chip is string => typeof chip === 'string' && chip !== '');
  return (
    <Panel label={t('quiz.about')}>
      <ul class="chips facts-line">
        <li class="plain-chip">
          <StateBadge {...quiz} />
        </li>
        {chips.map((chip) => (
          <li key={chip}>
            <bdi>{chip}</bdi>
          </li>
        ))}
      </ul>
      {quiz.description && (
        <p class="said after" {...inLanguage(quiz.language)}>
          {quiz.description}
        </p>
      )}
      {quiz.state === 'draft' && !mayPublish && (
        <p class="muted after">
          {rich(canShare ? 'quiz.askPlanShare' : 'quiz.askPlan', {
            link: (text) => <Link to="/dashboard/account">{text}</Link>,
          })}
        </p>
      )}
      <div class="buttons after">
        {quiz.questionCount > 0 && <LinkButton href={`${at}/preview`} text={t('quiz.preview')} />}
        <LinkButton href={`${at}/results`} text={t('quiz.results')} />
        {quiz.plays > 0 && quiz.state !== 'draft' && (
          <LinkButton href={`${at}/leaderboard`} text={t('leaderboard.title')} />
        )}
        <PostButton action={`${at}/copy`} text={t('do.duplicate')} />
        {quiz.published && (
          <Confirm
            label={t('do.unpublish')}
            action={`${at}/unpublish`}
            question={t('quiz.unpublishIt', { title: quiz.title })}
            effect={t('quiz.unpublishEffect')}
            button={t('quiz.unpublish')}
          />
        )}
      </div>
      <details class="more after">
        <summary>{t('quiz.details')}</summary>
        <Facts
          rows={[
            [t('quiz.playsTitle'), t('quiz.plays', { count: quiz.plays })],
            [t('list.changed'), <Time at={quiz.updatedAt} />],
            [t('list.created'), <Time at={quiz.createdAt} />],
            [t('quiz.assistant'), quiz.writtenBy],
            [t('quiz.id'), <span class="mono">{quiz.id}</span>],
          ]}
        />
      </details>
    </Panel>
  );
}

/** A page of the questions in order, with the owner's actions. */
function Questions({ quiz, at, page, open }: Shown) {
  const { t } = useMessages();
  const mayImport = useMayWrite();
  return (
    <section class="section">
      <div class="section-head">
        <h2>{t('nav.questions')}</h2>
        <div class="buttons">
          {mayImport && (
            <LinkButton
              href={`/dashboard/imports/new?quiz=${quiz.id}`}
              text={t('quizzes.import')}
            />
          )}
          <LinkButton href={addFromHref(quiz.id)} text={t('quiz.addFrom')} />
          {quiz.questionCount > 0 && (
            <LinkButton icon="plus" href={`${at}/questions/new`} text={t('quiz.addQuestion')} />
          )}
        </div>
      </div>
      {quiz.questionCount === 0 ? (
        <EmptyState title={t('quiz.noQuestions')}>
          <p>{t('quiz.noQuestionsText')}</p>
          <LinkButton look="outline" href={`${at}/edit`} text={t('quiz.writeQuestions')} />
        </EmptyState>
      ) : (
        <>
          <ol class="questions" start={page.offset + 1}>
            {quiz.questions.map((question) => (
              <Question
                question={question}
                language={quiz.language}
                at={at}
                count={quiz.questionCount}
                isOpen={question.id === open}
              />
            ))}
          </ol>
          <Pager page={page} total={quiz.questionCount} at={at} />
        </>
      )}
    </section>
  );
}

function Question(props: {
  question: OwnedQuestion;
  language: string | null;
  at: string;
  count: number;
  isOpen: boolean;
}) {
  const { t } = useMessages();
  const { question, count } = props;
  const { id, position } = question;
  const url = `${props.at}/questions/${id}`;
  const name = t('quiz.question', { number: position });
  return (
    <li class="panel question" id={`question-${id}`}>
      <QuestionTexts question={question} language={props.language} />
      <Menu label={t('do.actionsOf', { name })} group="questions" isOpen={props.isOpen}>
        <LinkButton href={`${url}/edit`} label={t('do.editIt', { name })} text={t('do.edit')} />
        <LinkButton
          href={`${props.at}/questions/new?like=${id}`}
          label={t('do.duplicateIt', { name })}
          text={t('do.duplicate')}
        />
        <MoveButtons {...{ action: `${url}/move`, name, at: position - 1, count, id }} />
        <Confirm
          label={t('do.delete')}
          action={`${url}/delete`}
          question={t('quiz.deleteThat', { name })}
          effect={t('quiz.questionEffect', {
            text: textLine(question.text, question.format),
          })}
          button={t('quiz.deleteQuestion')}
        />
      </Menu>
    </li>
  );
}
