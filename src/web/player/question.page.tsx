import type { QuestionFormat } from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import type { VisitorAttempt, VisitorQuestion } from '../../play/visitors/visitor-play.dto';
import { ControlText, inLanguage, useNameOf, useQuestionText } from '../components/author-text';
import { maxLengthOf } from '../components/fields';
import { Badge } from '../components/section';
import type { Form } from '../http/form';
import { useMessages } from '../http/page-context';
import { PlayerFrame } from './frame';
import { isLastOpen, nextOpen } from './player.rules';
import {
  type AnsweredQuestion,
  AnswerReview,
  LastVerdict,
  outcomeOf,
  type ReportForm,
  verdictOf,
} from './verdict';

interface Props {
  attempt: VisitorAttempt;
  question: VisitorQuestion;
  /** From 1. */
  number: number;
  form: Form;
  /** `/play/{slug}` */
  home: string;
  report?: ReportForm;
  last: AnsweredQuestion | null;
}

/** One question: to be answered, or with the solution if it may be revealed. */
export function QuestionPage(props: Props) {
  const { attempt, question, number, form, home, report } = props;
  const { t } = useMessages();
  const { title, questions, reveal, endsAt, isPractice } = attempt;
  const total = questions.length;
  const here = `${home}/${attempt.id}`;
  const next = nextOpen(questions, number);
  const nextHref = next ? `${here}/${next}` : here;
  const { result, given } = question;
  const refused = form.errors.length > 0;
  // An error is about this question, so it replaces the verdict on the one before.
  const last = refused ? null : props.last;
  const said = result ?? last;
  // One tap answers a question with one correct answer.
  const needsButton = question.multiple || question.type === 'OPEN_ENDED';
  return (
    <PlayerFrame
      title={
        !refused && said
          ? t('question.titleAfter', { verdict: t(verdictOf(said)), number, total })
          : t('question.title', { number, total })
      }
      progress={{
        title: title ?? t('player.quiz'),
        language: attempt.language,
        href: home,
        here,
        endsAt,
        number,
        total,
        isPractice,
      }}
    >
      {result ? (
        <div class="asked" data-question>
          <p class="verdict" role="status" data-is={outcomeOf(result)}>
            {t(verdictOf(result))}
          </p>
          <QuestionHeading question={question} />
          <AnswerReview question={question} report={report} />
          <div class="player-actions">
            {questions.every((it) => it.given) ? (
              <form method="post" action={here}>
                <button class="btn btn-big" data-next>
                  {t('question.result')}
                </button>
              </form>
            ) : (
              <a class="btn btn-big" href={nextHref} data-next>
                {t('question.next')}
              </a>
            )}
          </div>
        </div>
      ) : (
        <>
          <LastVerdict last={last} />
          {/* Going back, or reloading, a browser would tick what was ticked for another question. */}
          <form
            method="post"
            autocomplete="off"
            class="asked"
            data-question
            data-reveal={reveal ? '' : undefined}
            data-offline={t('question.offline')}
            data-unreachable={t('embed.unreachable')}
          >
            <AnswerFields question={question} form={form} hasVerdict={last !== null} />
            <p class="verdict" role="status" data-verdict />
            <div class="player-actions">
              {needsButton && (
                <button class="btn btn-big" data-send>
                  {t(isLastOpen(questions, number) ? 'question.finish' : 'question.next')}
                </button>
              )}
              <a class="btn btn-big" data-variant="ghost" href={nextHref} data-skip>
                {t(given ? 'question.keep' : 'question.skip')}
              </a>
              {number > 1 && (
                <a
                  class="btn btn-big back-button"
                  data-variant="ghost"
                  href={`${here}/${number - 1}`}
                >
                  {t('question.back')}
                </a>
              )}
            </div>
          </form>
        </>
      )}
    </PlayerFrame>
  );
}

/** The question. A heading cannot contain lists and the like, so they follow it. */
function QuestionHeading({
  question: { text, format, language },
  part,
}: {
  question: VisitorQuestion;
  part?: 'lead' | 'rest';
}) {
  const { lead, rest } = useQuestionText(text, format);
  const { t } = useMessages();
  return (
    <>
      {part !== 'rest' && (
        <h1 class="question-text" {...inLanguage(language)} id="question">
          {lead ?? <span class="sr-only">{t('question.hidden')}</span>}
        </h1>
      )}
      {part !== 'lead' && rest && (
        <div class="question-rest" {...inLanguage(language)}>
          {rest}
        </div>
      )}
    </>
  );
}

/** After an error the fields show the input, otherwise the recorded answer. */
function AnswerFields({
  question,
  form,
  hasVerdict,
}: {
  question: VisitorQuestion;
  form: Form;
  hasVerdict: boolean;
}) {
  const { text, format, language, type, multiple, choices, given } = question;
  const name = useNameOf(text, format);
  const messages = useMessages();
  const { t } = messages;
  const errors = form.errorsOf('', messages);
  const refused = errors.length > 0;
  const chosen = refused ? form.all('answer') : (given?.answerIds ?? []);
  return (
    <fieldset aria-label={name} aria-describedby={refused ? 'error' : undefined}>
      <legend>
        <QuestionHeading question={question} part="lead" />
      </legend>
      <QuestionHeading question={question} part="rest" />
      {multiple && <ChooseAll of={text} />}
      {type === 'OPEN_ENDED' ? (
        <input
          class="input typing"
          name="text"
          value={refused ? form.text('text') : (given?.text ?? '')}
          maxLength={maxLengthOf(LIMITS.content.answerText.value)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          autofocus={!hasVerdict}
          {...inLanguage(language)}
          aria-label={name}
          aria-labelledby={name ? undefined : 'question'}
          placeholder={t('question.answer')}
        />
      ) : (
        <ol class="options">
          {choices.map((choice, index) => (
            <li key={choice.id}>
              <Choice
                {...{ choice, format, language, index, multiple }}
                isChosen={chosen.includes(choice.id)}
              />
            </li>
          ))}
        </ol>
      )}
      {refused && (
        <p class="error" id="error" role="alert">
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}

function Choice(props: {
  choice: { id: string; text: string };
  format: QuestionFormat;
  language: string | null;
  index: number;
  multiple: boolean;
  isChosen: boolean;
}) {
  const { choice, format, language, index, multiple, isChosen } = props;
  const attributes = { name: 'answer', value: choice.id };
  const shown = (
    <>
      <ControlText text={choice.text} format={format} language={language} />
      {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
    </>
  );
  return multiple ? (
    <label class="option">
      <input type="checkbox" {...attributes} checked={isChosen} />
      {shown}
    </label>
  ) : (
    <button class="option" {...attributes} aria-pressed={isChosen ? 'true' : undefined}>
      {shown}
    </button>
  );
}

/** After the last question, if some were skipped: go back to them, or finish. When the time is over: finish. */
export function OpenQuestionsPage({
  attempt,
  home,
  last,
}: Pick<Props, 'attempt' | 'home' | 'last'>) {
  const { questions, title, endsAt, over, isPractice } = attempt;
  const total = questions.length;
  const here = `${home}/${attempt.id}`;
  const open = questions.filter(({ given }) => !given).length;
  const first = questions.findIndex(({ given }) => !given) + 1;
  const { t } = useMessages();
  const [heading, help] = over
    ? [t('open.timeUp'), t('open.inTimeCounts')]
    : open === 0
      ? [t('open.allAnswered'), t('open.mayChange')]
      : [t('open.left', { count: open }), t('open.countAsWrong')];
  return (
    <PlayerFrame
      title={`${last ? `${t(verdictOf(last))} ` : ''}${t(over ? 'open.timeUpTitle' : 'open.almostDone')}`}
      progress={{
        title: title ?? t('player.quiz'),
        language: attempt.language,
        href: home,
        here,
        endsAt,
        number: total - open,
        total,
        isPractice,
        countsAnswered: true,
      }}
    >
      <LastVerdict last={last} />
      <h1 class="question-text">{heading}</h1>
      <p class="muted">{help}</p>
      {!over && (
        <ol class="options">
          {questions.map(({ id, text, format, language, given }, index) => (
            <li key={id}>
              <a class="option" href={`${here}/${index + 1}`}>
                <span class="muted">{index + 1}</span>
                <ControlText text={text} format={format} language={language} />
                {given ? (
                  <Badge variant="good">{t('open.answered')}</Badge>
                ) : (
                  <Badge variant="busy">{t('open.open')}</Badge>
                )}
              </a>
            </li>
          ))}
        </ol>
      )}
      <div class="player-actions">
        {open > 0 && !over && (
          <a class="btn btn-big" href={`${here}/${first}`} data-next>
            {t('open.answer', { count: open })}
          </a>
        )}
        <form method="post" action={here}>
          <button class="btn btn-big" data-variant={open > 0 && !over ? 'ghost' : undefined}>
            {t(over ? 'question.result' : open > 0 ? 'open.finishNow' : 'question.finish')}
          </button>
        </form>
      </div>
    </PlayerFrame>
  );
}

/** Says that several answers are correct, unless the question says it. */
export function ChooseAll({ of }: { of: string }) {
  const { t } = useMessages();
  return /all that apply/i.test(of) ? null : <p class="muted">{t('question.chooseAll')}</p>;
}
