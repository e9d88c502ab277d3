import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import type { KeyWarning } from '../../../play/results/results.service';
import { CopyButton, LinkButton } from '../../components/button';
import { count } from '../../components/format';
import { Note } from '../../components/section';
import { usePage } from '../../http/page-context';
import { KeyNotes, type QuizFigures } from './check-key';

/** What the page of a quiz tells of its players. */
export type ResultsOfQuiz = Partial<QuizFigures> & {
  keyWarnings: KeyWarning[];
  links: UnlistedLink[];
};

/** What needs a look, and who can open a draft. */
export function QuizResults({
  quiz,
  of,
}: {
  quiz: { id: string; state: string; published: boolean };
  of: ResultsOfQuiz;
}) {
  const { keyWarnings, openReports = 0 } = of;
  const { now, baseUrl } = usePage();
  const open = of.links.filter(({ closesAt }) => closesAt === null || closesAt > now);
  const [latest] = open;
  const results = `/dashboard/quizzes/${quiz.id}/results`;
  const state = quiz.published ? 'Also open' : 'Draft. Open';
  return (
    <>
      <KeyNotes warnings={keyWarnings} canFix />
      {openReports > 0 && (
        <Note variant="busy" title={`${count(openReports, 'report', 'reports')} of players`}>
          <p>Players say that something is wrong with a question.</p>
          <LinkButton href={`${results}#reports`} text="Read the reports" />
        </Note>
      )}
      {latest !== undefined && (
        <p class="buttons open-by">
          <span>
            {state} by {count(open.length, 'unlisted link', 'unlisted links')}.
          </span>
          <CopyButton text={baseUrl + latest.path} variant="outline" />
        </p>
      )}
    </>
  );
}
