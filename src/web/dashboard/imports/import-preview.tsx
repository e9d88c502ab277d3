import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { ImportReport } from '../../../import-export/imports/imports.dto';
import { LIMITS } from '../../../platform/limits/limits';
import { translated } from '../../../platform/messages/refusals';
import { LinkButton } from '../../components/button';
import { TextInput, useForm } from '../../components/fields';
import { Note, Section } from '../../components/section';
import { useMessages } from '../../http/page-context';
import { QuestionTexts } from '../quizzes/quiz-parts';
import { START_FORM } from './import-corrections';
import { hasErrorIn, ImportSettings, SETTINGS } from './import-settings';

/** Whether the questions would get the file's name as a title: that goes public. */
export const needsTitle = ({ view, isUntitled }: ImportReport): boolean =>
  view.quizId === null && isUntitled;

/** What a preview is for: its settings, and the import. @param props `quiz`: null for new quizzes, and for a deleted one */
export function Start(props: { report: ImportReport; quiz: OwnedQuiz | null; at: string }) {
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const { quiz, at } = props;
  const { view, problem } = props.report;
  const again = `/dashboard/imports/new${quiz ? `?quiz=${quiz.id}` : ''}`;
  const other = <LinkButton look="outline" href={again} text={t('import.another')} />;
  if (!view.changeable)
    return (
      <Section>
        <p>{t('import.expired')}</p>
        <div class="buttons after">{other}</div>
      </Section>
    );
  const isUntitled = needsTitle(props.report);
  const isReady = view.startable && view.totals.importable > 0;
  const update = (
    <button
      class="btn"
      data-variant={isReady && !problem ? 'outline' : undefined}
      formaction={`${at}/preview`}
      formnovalidate
    >
      {t('import.update')}
    </button>
  );
  return (
    <Section label={t('import.import')} class="panel import-start">
      <form method="post" action={`${at}/start`} class="form wide" id={START_FORM}>
        {isReady && quiz && <p>{t('import.appended', { title: quiz.title })}</p>}
        {isReady && view.quizId === null && (
          <p>{t('import.makes', { count: view.totals.quizzes })}</p>
        )}
        {problem && (
          <Note variant="bad" title={t('import.notAsItIs')}>
            <p>{translated(problem, messages)}</p>
          </Note>
        )}
        {view.startable && !isReady && <p>{t('import.nothing')}</p>}
        {/* Enter presses a form's first button, which must not import. */}
        <button
          class="sr-only"
          tabIndex={-1}
          aria-hidden="true"
          formaction={`${at}/preview`}
          formnovalidate
        >
          {t('import.update')}
        </button>
        {view.quizId === null && (
          <TextInput
            name="title"
            label={t('field.title')}
            initial={view.title ?? ''}
            placeholder={isUntitled ? t('import.titleExample') : t('import.asInFile')}
            maxLength={LIMITS.content.quizTitle.value}
            required={isUntitled}
            autofocus={isUntitled && isReady}
          />
        )}
        {view.quizId === null && (
          <label class="choice">
            <input
              class="input"
              type="checkbox"
              name="published"
              value="yes"
              checked={form.isBlank ? view.published : form.text('published') === 'yes'}
            />
            <span>
              <span class="choice-label">{t('import.publish')}</span>
              <small>{t('import.publishHelp')}</small>
            </span>
          </label>
        )}
        <div class="buttons">
          {isReady && !problem && (
            <button class="btn">{t('import.button', { count: view.totals.importable })}</button>
          )}
        </div>
        <details class="more" open={!isReady || hasErrorIn(form, SETTINGS)}>
          <summary>{t('import.change')}</summary>
          <div class="form">
            <ImportSettings view={view} />
            <div class="buttons">{update}</div>
          </div>
        </details>
        <div class="buttons">{other}</div>
      </form>
    </Section>
  );
}

/** The first questions as they will be. @param props `quiz`: to which they are added */
export function Sample(props: { report: ImportReport; quiz: OwnedQuiz | null }) {
  const { sample, view } = props.report;
  const { t } = useMessages();
  const all = view.totals.importable;
  return (
    <Section
      title={
        all > sample.length
          ? t('import.firstOf', { shown: sample.length, count: all })
          : t('nav.questions')
      }
      help={t('import.sampleHelp')}
    >
      <ol class="questions after">
        {sample.map((question, place) => (
          <li class="panel question">
            <QuestionTexts
              language={props.quiz ? props.quiz.language : question.language}
              question={{
                ...question,
                id: '',
                format: question.format ?? 'plain',
                position: place + 1,
                answers: question.answers.map((answer) => ({ ...answer, id: '' })),
              }}
            />
          </li>
        ))}
      </ol>
    </Section>
  );
}
