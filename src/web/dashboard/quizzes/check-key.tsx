import type { KeyWarning, QuizFigures } from '../../../play/results/results.service';
import { LinkButton } from '../../components/button';
import { count, Link } from '../../components/format';
import { Badge, Note } from '../../components/section';

/** Where the key of a question is corrected, which then offers to score the attempts again. */
export const fixHref = ({ quizId, questionId }: Pick<KeyWarning, 'quizId' | 'questionId'>) =>
  `/dashboard/quizzes/${quizId}/questions/${questionId}/edit`;

const keyTitle = ({ position }: KeyWarning) => `Check the key of question ${position}`;

/** “19 of 29 chose Canberra, 4 chose Sydney, which is marked correct.” */
const keyWords = (warning: KeyWarning) =>
  `${warning.chosen.toLocaleString('en')} of ${count(warning.players, 'player', 'players')} chose “${warning.answer}”${
    warning.chosen > warning.keyed ? '' : ', the best players among them'
  }; ${warning.keyed.toLocaleString('en')} chose “${warning.keyedAnswer}”, which is marked correct.`;

/** The warnings of a quiz, above everything else. @param canFix whether the viewer is the owner */
export function KeyNotes({ warnings, canFix }: { warnings: KeyWarning[]; canFix: boolean }) {
  return warnings.map((warning) => (
    <Note variant="busy" title={keyTitle(warning)}>
      <p>{keyWords(warning)}</p>
      {canFix && (
        <LinkButton
          look="primary"
          href={fixHref(warning)}
          label={`Fix and regrade question ${warning.position}`}
          text="Fix and regrade"
        />
      )}
    </Note>
  ));
}

/** The same on one line, for a list of quizzes. */
export function KeyLines({ warnings }: { warnings: KeyWarning[] }) {
  return warnings.map((warning) => (
    <span class="sub key-line">
      <Link to={fixHref(warning)}>{keyTitle(warning)}</Link>: {keyWords(warning)}
    </span>
  ));
}

/** Where the owner reads what players report. */
export const reportsHref = (quizId: string) => `/dashboard/quizzes/${quizId}/results#reports`;

export const reportsTitle = (openReports: number) =>
  `${count(openReports, 'report', 'reports')} of players`;

/** Reports of players that are not closed, on one line; nothing if there are none. */
export function ReportsLine({ quizId, openReports }: { quizId: string; openReports: number }) {
  if (openReports === 0) return null;
  return (
    <span class="sub key-line">
      <Link to={reportsHref(quizId)}>{reportsTitle(openReports)}</Link>
    </span>
  );
}

/** What needs a look, as badges beside a quiz in a list. */
export function ToCheck({ of }: { of: QuizFigures | undefined }) {
  const { doubted = 0, openReports = 0 } = of ?? {};
  return (
    <>
      {doubted > 0 && <Badge variant="busy">Check the key</Badge>}
      {openReports > 0 && <Badge variant="busy">{count(openReports, 'report', 'reports')}</Badge>}
    </>
  );
}
