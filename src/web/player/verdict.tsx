import { LIMITS } from '../../platform/limits/limits';
import { REPORT_REASONS, type ReportReason } from '../../play/results/reports.rules';
import type { VisitorQuestion } from '../../play/visitors/visitor-play.dto';
import { AuthorText, AuthorTexts, inLanguage } from '../components/author-text';
import { Icon } from '../components/button';
import { maxLengthOf, Select } from '../components/fields';
import { Textarea } from '../components/textarea';
import { errorText, type Form } from '../http/form';
import { useMessages } from '../http/page-context';
import { partlyCorrect } from './player.rules';

/** A question that was answered, with its solution. */
export interface AnsweredQuestion extends NonNullable<VisitorQuestion['result']> {
  /** From 1. */
  number: number;
  question: VisitorQuestion;
}

const REASONS = Object.keys(REPORT_REASONS) as ReportReason[];
const MARKS = { correct: 'check', wrong: 'cross' } as const;

export const outcomeOf = ({ correct }: { correct: boolean }) => (correct ? 'correct' : 'wrong');
export const verdictOf = ({ correct }: { correct: boolean }) =>
  correct ? 'verdict.correct' : 'verdict.wrong';

/**
 * The verdict on the answer before this page, above the next question: so one tap answers and goes on, and nobody
 * has a time limit to read it. With a script the options of the answered question show it first, in place (player.js).
 */
export function LastVerdict({
  last,
  isHidden,
}: {
  last: AnsweredQuestion | null;
  isHidden?: boolean;
}) {
  const messages = useMessages();
  const { t, rich } = messages;
  if (!last) return null;
  const { question, correct, correctAnswers, spelling, explanation } = last;
  const ids = correctAnswers.map(({ id }) => id);
  const partly = partlyCorrect(question.given?.answerIds ?? [], ids, messages);
  const solution = correctAnswers.slice(0, question.multiple ? undefined : 1);
  return (
    <section
      class="last-verdict"
      id="last-verdict"
      aria-label={t('verdict.of', { number: last.number })}
      // Read out by screen readers as soon as the page is there.
      tabIndex={-1}
      autofocus={!isHidden}
      hidden={isHidden}
      data-is={outcomeOf(last)}
      data-text={t(verdictOf(last))}
      data-correct={question.type === 'OPEN_ENDED' ? '' : ids.join(' ')}
    >
      {/* A paragraph would end where an answer has a list. */}
      <div class="verdict">
        <Icon name={MARKS[outcomeOf(last)]} /> {t(verdictOf(last))}
        {!correct && (
          <span>
            {' '}
            {rich('verdict.solution', {
              count: question.multiple ? 2 : 1,
              answers: (
                <bdi {...inLanguage(question.language)}>
                  <AuthorTexts texts={solution.map(({ text }) => text)} format={question.format} />
                </bdi>
              ),
            })}
          </span>
        )}
        {spelling && (
          <span>
            {' '}
            {rich('verdict.spelling', { text: <Spelling of={question} text={spelling} /> })}
          </span>
        )}
      </div>
      {partly && <p>{partly}</p>}
      {explanation && (
        <div class="said" {...inLanguage(question.language)}>
          <AuthorText text={explanation} format={question.format} links />
        </div>
      )}
    </section>
  );
}

/** The accepted spelling of a typed answer. */
const Spelling = ({ of, text }: { of: VisitorQuestion; text: string }) => (
  <bdi {...inLanguage(of.language)}>
    <AuthorText text={text} format={of.format} />
  </bdi>
);

/**
 * A question with the player's answer, the correct answers and the explanation. Nothing until they may be revealed.
 */
export function AnswerReview({
  question,
  report,
}: {
  question: VisitorQuestion;
  /** Where to report it to its author; absent in a preview. */
  report?: ReportForm;
}) {
  const { given, result, type } = question;
  const messages = useMessages();
  const { t, rich } = messages;
  if (!result) return null;
  const { correct, correctAnswers, spelling, explanation } = result;
  const correctIds = correctAnswers.map(({ id }) => id);
  const partly = partlyCorrect(given?.answerIds ?? [], correctIds, messages);
  const others = type === 'OPEN_ENDED' && !correct ? correctAnswers.slice(1) : [];
  return (
    <div class="review">
      <ul class="options">
        {choicesShown(question, result).map(({ text, is, chosen, isTyped }, index) => (
          <li key={index} class="option" data-is={is} data-chosen={chosen ? '' : undefined}>
            <span class="mark">{is !== 'other' && <Icon name={MARKS[is]} />}</span>
            <span {...inLanguage(question.language)}>
              <AuthorText text={text} format={isTyped ? 'plain' : question.format} />
            </span>
            {/* In words too, for readers who do not see the colours. */}
            <span class="option-note small">
              {chosen
                ? t(is === 'correct' ? 'verdict.yoursCorrect' : 'verdict.yoursWrong')
                : is === 'correct' && t('verdict.correctAnswer')}
            </span>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <div class="review-note muted">
          {rich('verdict.accepted', {
            answers: (
              <bdi {...inLanguage(question.language)}>
                <AuthorTexts
                  texts={others.map(({ text }) => text)}
                  format={question.format}
                  list="unit"
                />
              </bdi>
            ),
          })}
        </div>
      )}
      {spelling && (
        <p class="review-note muted">
          {rich('verdict.spelling', { text: <Spelling of={question} text={spelling} /> })}
        </p>
      )}
      {partly && <p class="review-note muted">{partly}</p>}
      {!given && <p class="review-note muted">{t('verdict.leftOut')}</p>}
      {explanation && (
        <div class="explanation" {...inLanguage(question.language)}>
          <AuthorText text={explanation} format={question.format} links />
        </div>
      )}
      {report && <ReportQuestion {...report} isReported={report.reported === question.id} />}
    </div>
  );
}

export interface ReportForm {
  /** The URL of the question. */
  at: string;
  /** The id of the question that was just reported. */
  reported: string;
  form: Form;
}

function ReportQuestion({ at, form, isReported }: ReportForm & { isReported: boolean }) {
  const messages = useMessages();
  const { t } = messages;
  if (isReported)
    return (
      // Focused, as it may be below the first screen of a phone.
      <p class="review-note muted" role="status" tabIndex={-1} autofocus>
        {t('report.thanks')}
      </p>
    );
  const reasons = REASONS.map((value) => ({ value, label: t(`report.because.${value}`) }));
  return (
    <details class="report" open={form.errors.length > 0}>
      <summary class="muted">{t('report.open')}</summary>
      <form method="post" class="form" action={`${at}/report`}>
        {form.errors.length > 0 && (
          <p class="error" role="alert">
            {form.errors.map(({ message }) => errorText(message, messages)).join(' ')}
          </p>
        )}
        <label>
          {t('report.reason')}
          <Select name="reason" chosen={form.text('reason')} options={reasons} />
        </label>
        <label>
          {t('report.details')}
          <Textarea
            class="textarea"
            name="text"
            rows={2}
            maxLength={maxLengthOf(LIMITS.content.reportCharacters.value)}
            value={form.text('text')}
          />
        </label>
        <button class="btn" data-variant="outline">
          {t('report.send')}
        </button>
      </form>
    </details>
  );
}

interface Option {
  text: string;
  is: 'correct' | 'wrong' | 'other';
  chosen: boolean;
  /** By the player: it is shown as it is. */
  isTyped?: boolean;
}

/** The choices; for an open question the typed answer and, unless it is correct, the first accepted one. */
function choicesShown(
  { type, choices, given }: VisitorQuestion,
  { correct, correctAnswers }: NonNullable<VisitorQuestion['result']>,
): Option[] {
  if (type !== 'OPEN_ENDED') {
    const correctIds = new Set(correctAnswers.map(({ id }) => id));
    return choices.map(({ id, text }) => {
      const chosen = given?.answerIds?.includes(id) ?? false;
      return { text, chosen, is: correctIds.has(id) ? 'correct' : chosen ? 'wrong' : 'other' };
    });
  }
  const typed: Option[] = given
    ? [{ text: given.text ?? '', is: outcomeOf({ correct }), chosen: true, isTyped: true }]
    : [];
  const [accepted] = correctAnswers;
  return correct || !accepted
    ? typed
    : [...typed, { text: accepted.text, is: 'correct', chosen: false }];
}
