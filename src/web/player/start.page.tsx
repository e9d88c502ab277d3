import { LIMITS } from '../../platform/limits/limits';
import type { MessageKey, Messages } from '../../platform/messages/messages';
import type { OpenQuiz, Tries, VisitorLeaderboardRow } from '../../play/visitors/visitor-play.dto';
import { inLanguage } from '../components/author-text';
import { Icon } from '../components/button';
import { Cover } from '../components/cover';
import { PostForm, TextInput } from '../components/fields';
import { Link } from '../components/format';
import type { TopicLook } from '../components/topic-look';
import type { Form } from '../http/form';
import { useMessages } from '../http/page-context';
import { LeaderboardTable, PlayerFrame } from './frame';
import type { PlayerPlace } from './place';
import { timeLimitOf } from './player.rules';

/** A quiz before its first question: what it is, the player's name, and the leaderboard. */
export function StartPage({
  quiz,
  place,
  look,
  top,
  underWay,
  tries,
  name,
  returnReason,
  form,
}: {
  quiz: OpenQuiz;
  place: PlayerPlace;
  /** Of its topic. */
  look: TopicLook;
  top: VisitorLeaderboardRow[] | null;
  /** The URL of the next question of an unfinished attempt. */
  underWay: string | null;
  /** Null where the player has any number of tries. */
  tries: Tries | null;
  /** That the player used last. */
  name: string;
  /** Why an attempt led back to this page; null if none did. */
  returnReason: MessageKey | null;
  form: Form;
}) {
  const { title, description, category, difficulty, questionCount, plays, timeLimit } = quiz;
  const messages = useMessages();
  const { t, rich } = messages;
  const asked = Math.min(quiz.questionsPerAttempt ?? questionCount, questionCount);
  const facts = [
    t('count.questions', { count: asked }),
    t(`difficulty.${difficulty}`),
    ...(plays > 0 ? [t('start.plays', { count: plays })] : []),
    ...(timeLimit ? [timeLimitOf(timeLimit, quiz.timeFactor, messages)] : []),
    ...(tries ? [triesLeft(tries, messages)] : []),
  ];
  return (
    <PlayerFrame title={title} description={description ?? messages.enumerated(facts)}>
      <section class="welcome">
        {!place.isEmbedded && (
          <div class="banner" data-hue={look.hue}>
            <Cover of={quiz.slug} />
            <div class="badge">
              <Icon name={look.icon} />
            </div>
          </div>
        )}
        {category && (
          <p class="kicker">
            {place.isEmbedded ? (
              category
            ) : (
              <a href={`/play?category=${encodeURIComponent(category)}`}>{category}</a>
            )}
          </p>
        )}
        <h1 {...inLanguage(quiz.language)}>{title}</h1>
        {description && (
          <p class="lead muted" {...inLanguage(quiz.language)}>
            {description}
          </p>
        )}
        <ul class="chips">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
        {returnReason && (
          <p class="error" role="alert">
            {t(returnReason)}
          </p>
        )}
        {/* An attempt has its own questions, also when the quiz has lost them since. */}
        {underWay && (
          <p class="go-on">
            <a class="btn btn-big" href={underWay}>
              {t('start.continue')}
            </a>
          </p>
        )}
        {questionCount === 0 ? (
          <p class="muted">{t('start.noQuestions')}</p>
        ) : tries?.left === 0 ? (
          <p role="status">
            {t(underWay ? 'start.lastTry' : 'start.noTries')}
            {tries.best &&
              ` ${t('start.best', { score: tries.best.score, total: tries.best.total })}`}
          </p>
        ) : (
          <StartForm
            form={form}
            action={place.home}
            name={name}
            isAgain={underWay !== null}
            isTimed={timeLimit !== null}
          />
        )}
      </section>
      {top && <LeaderboardTable top={top} />}
      {quiz.via === 'public' && !place.isEmbedded && (
        <p class="muted small">
          {rich('start.duplicate', {
            link: (text) => <Link to={`/dashboard/quizzes/${quiz.id}/copy`}>{text}</Link>,
          })}
        </p>
      )}
    </PlayerFrame>
  );
}

/** `2 tries`, `1 of 2 tries left`; without one, the page says so in a sentence */
const triesLeft = ({ left, most }: Tries, { t }: Messages): string =>
  left === most || left === 0
    ? t('count.tries', { count: most })
    : t('start.triesLeft', { left, most });

function StartForm({
  form,
  action,
  name,
  isAgain,
  isTimed,
}: {
  form: Form;
  action: string;
  name: string;
  isAgain: boolean;
  isTimed: boolean;
}) {
  const { t } = useMessages();
  return (
    <PostForm form={form} action={action} class="form panel">
      <TextInput
        name="name"
        label={t('start.name')}
        initial={name}
        maxLength={LIMITS.content.visitorName.value}
        autocomplete="nickname"
        placeholder={t('start.guest')}
        help={t('start.nameHelp')}
      />
      <label class="choice">
        <input
          type="checkbox"
          name="reveal"
          value="yes"
          checked={form.isBlank || form.text('reveal') === 'yes'}
        />
        <span>{t('start.reveal')}</span>
      </label>
      {isTimed && <p class="muted">{t('start.timed')}</p>}
      <button class="btn btn-big" data-variant={isAgain ? 'outline' : undefined}>
        {t(isAgain ? 'start.again' : 'start.start')}
      </button>
    </PostForm>
  );
}
