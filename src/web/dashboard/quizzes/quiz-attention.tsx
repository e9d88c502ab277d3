import type { OpenLinks } from '../../../play/links/quiz-links.dto';
import type { KeyWarning, QuizFigures } from '../../../play/results/results.service';
import { CopyButton, LinkButton } from '../../components/button';
import { Note } from '../../components/section';
import { useMessages, usePage } from '../../http/page-context';
import { KeyNotes, reportsHref } from './check-key';

/** What a quiz's page shows about its players. */
export type ResultsOfQuiz = Partial<QuizFigures> & {
  keyWarnings: KeyWarning[];
  openLinks: OpenLinks;
  /** Whether the operator allows unlisted links. */
  canShare: boolean;
};

/** What needs its author's attention, and the unlisted link by which it can be opened. */
export function QuizAttention({
  quiz,
  of,
}: {
  quiz: { id: string; published: boolean };
  of: ResultsOfQuiz;
}) {
  const { t } = useMessages();
  const { keyWarnings, openLinks, openReports = 0 } = of;
  const { baseUrl } = usePage();
  return (
    <>
      <KeyNotes warnings={keyWarnings} canFix />
      {openReports > 0 && (
        <Note variant="busy" title={t('reports.title', { count: openReports })}>
          <p>{t('reports.say')}</p>
          <LinkButton href={reportsHref(quiz.id)} text={t('reports.read')} />
        </Note>
      )}
      {openLinks.newest !== null && (
        <p class="buttons open-by">
          <span>
            {t(quiz.published ? 'shared.also' : 'shared.draft', { count: openLinks.count })}
          </span>
          <CopyButton text={baseUrl + openLinks.newest} variant="outline" />
        </p>
      )}
    </>
  );
}
