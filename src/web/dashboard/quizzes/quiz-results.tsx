import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import type { KeyWarning, QuizFigures } from '../../../play/results/results.service';
import { CopyButton, LinkButton } from '../../components/button';
import { count } from '../../components/format';
import { Note } from '../../components/section';
import { usePage } from '../../http/page-context';
import { KeyNotes, reportsHref, reportsTitle } from './check-key';

/** What the page of a quiz tells of its players. */
export type ResultsOfQuiz = Partial<QuizFigures> & {
  keyWarnings: KeyWarning[];
  /** Unlisted links that the quiz can be started by now, newest first. */
  openLinks: UnlistedLink[];
  /** By unlisted links: the operator allows them. */
  canShare: boolean;
};

/** What needs a look, and who can open a draft. */
export function QuizResults({
  quiz,
  of,
}: {
  quiz: { id: string; state: string; published: boolean };
  of: ResultsOfQuiz;
}) {
  const { keyWarnings, openLinks, openReports = 0 } = of;
  const { baseUrl } = usePage();
  const [latest] = openLinks;
  const state = quiz.published ? 'Also open' : 'Draft. Open';
  return (
    <>
      <KeyNotes warnings={keyWarnings} canFix />
      {openReports > 0 && (
        <Note variant="busy" title={reportsTitle(openReports)}>
          <p>Players say that something is wrong with a question.</p>
          <LinkButton href={reportsHref(quiz.id)} text="Read the reports" />
        </Note>
      )}
      {latest !== undefined && (
        <p class="buttons open-by">
          <span>
            {state} by {count(openLinks.length, 'unlisted link', 'unlisted links')}.
          </span>
          <CopyButton text={baseUrl + latest.path} variant="outline" />
        </p>
      )}
    </>
  );
}
