import type { Messages } from '../../../platform/messages/messages';
import type { KeyWarning, QuizFigures } from '../../../play/results/results.service';
import { LinkButton } from '../../components/button';
import { Link } from '../../components/format';
import { Badge, Note } from '../../components/section';
import { useMessages } from '../../http/page-context';

/** Where the key of a question is corrected, which then offers to score the attempts again. */
export const fixHref = ({ quizId, questionId }: Pick<KeyWarning, 'quizId' | 'questionId'>) =>
  `/dashboard/quizzes/${quizId}/questions/${questionId}/edit`;

const keyTitle = ({ position }: KeyWarning, { t }: Messages) =>
  t('key.title', { number: position });

/** “19 of 29 chose Canberra, 4 chose Sydney, which is marked correct.” */
const keyWords = ({ chosen, players, answer, keyed, keyedAnswer }: KeyWarning, { t }: Messages) =>
  t(chosen > keyed ? 'key.text' : 'key.textBest', { chosen, players, answer, keyed, keyedAnswer });

/** The warnings of a quiz, above everything else. @param canFix whether the viewer is the owner */
export function KeyNotes({ warnings, canFix }: { warnings: KeyWarning[]; canFix: boolean }) {
  const messages = useMessages();
  const { t } = messages;
  return warnings.map((warning) => (
    <Note variant="busy" title={keyTitle(warning, messages)}>
      <p>{keyWords(warning, messages)}</p>
      {canFix && (
        <LinkButton
          look="primary"
          href={fixHref(warning)}
          label={t('key.fixIt', { number: warning.position })}
          text={t('key.fix')}
        />
      )}
    </Note>
  ));
}

/** The same on one line, for a list of quizzes. */
export function KeyLines({ warnings }: { warnings: KeyWarning[] }) {
  const messages = useMessages();
  return warnings.map((warning) => (
    <span class="sub key-line">
      <Link to={fixHref(warning)}>{keyTitle(warning, messages)}</Link>:{' '}
      {keyWords(warning, messages)}
    </span>
  ));
}

/** Where the owner reads what players report. */
export const reportsHref = (quizId: string) => `/dashboard/quizzes/${quizId}/results#reports`;

/** Reports of players that are not closed, on one line; nothing if there are none. */
export function ReportsLine({ quizId, openReports }: { quizId: string; openReports: number }) {
  const { t } = useMessages();
  if (openReports === 0) return null;
  return (
    <span class="sub key-line">
      <Link to={reportsHref(quizId)}>{t('reports.title', { count: openReports })}</Link>
    </span>
  );
}

/** What needs a look, as badges beside a quiz in a list. */
export function ToCheck({ of }: { of: QuizFigures | undefined }) {
  const { t } = useMessages();
  const { doubted = 0, openReports = 0 } = of ?? {};
  return (
    <>
      {doubted > 0 && <Badge variant="busy">{t('key.check')}</Badge>}
      {openReports > 0 && (
        <Badge variant="busy">{t('count.reports', { count: openReports })}</Badge>
      )}
    </>
  );
}
