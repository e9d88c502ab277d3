import type {
  OwnedQuestion,
  OwnedQuizDetail,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { choicesOf, isMultiple, shuffledFor } from '../../../play/attempts/attempt.rules';
import { AuthorText, AuthorTexts, inLanguage } from '../../components/author-text';
import { LinkButton } from '../../components/button';
import { Document } from '../../components/document';
import { useMessages } from '../../http/page-context';
import { ChooseAll } from '../../player/question.page';

const BLANK = '_'.repeat(14);

type Version = 'A' | 'B';

/** What mixes a version's questions and answers: every print of the version is the same. */
const seedOf = ({ id }: OwnedQuizDetail, version: Version) => (version === 'A' ? id : `${id} B`);

/** Version A has the quiz's order of questions. B has another one, if there are several. */
function questionsOf(quiz: OwnedQuizDetail, version: Version): OwnedQuestion[] {
  const { questions } = quiz;
  if (version === 'A') return questions;
  const mixed = shuffledFor(seedOf(quiz, version), questions);
  return mixed.some((question, at) => question !== questions[at])
    ? mixed
    : [...mixed.slice(1), ...mixed.slice(0, 1)];
}

/** `a)`, `b)`, … `z)`, `27)` */
const letter = (at: number) => `${at < 26 ? String.fromCharCode(97 + at) : at + 1})`;

/** A page for the printer. @param isKey with the correct answers marked */
export function Worksheet({
  quiz,
  version,
  isKey,
  back,
}: {
  quiz: OwnedQuizDetail;
  version: Version;
  isKey: boolean;
  back: string;
}) {
  const { t } = useMessages();
  const attributes = inLanguage(quiz.language);
  return (
    <Document
      title={t(isKey ? 'sheet.keyTitle' : 'sheet.title', { title: quiz.title, version })}
      class="sheet"
    >
      <nav class="buttons" aria-label={t('share.page')}>
        <LinkButton href={back} text={t('do.back')} />
        <button class="btn" data-size="sm" data-print hidden>
          {t('sheet.print')}
        </button>
      </nav>
      <main>
        <p class="version">{version}</p>
        <h1 {...attributes}>{quiz.title}</h1>
        <p>
          {isKey
            ? t('sheet.key', { version })
            : t('sheet.lines', {
                name: BLANK + BLANK,
                date: BLANK,
                total: quiz.questionCount,
              })}
        </p>
        {!isKey && quiz.description && <p {...attributes}>{quiz.description}</p>}
        <ol dir={attributes.dir === 'rtl' ? 'rtl' : undefined}>
          {questionsOf(quiz, version).map((question) => (
            <li key={question.id}>
              <div class="said" {...attributes}>
                <AuthorText text={question.text} format={question.format} />
              </div>
              <Answers
                question={question}
                language={quiz.language}
                seed={seedOf(quiz, version)}
                isKey={isKey}
              />
              {isKey && question.explanation && (
                <div class="muted said" {...attributes}>
                  <AuthorText text={question.explanation} format={question.format} />
                </div>
              )}
            </li>
          ))}
        </ol>
      </main>
    </Document>
  );
}

/** Fits into half of a line of A4. */
const isShort = ({ text }: { text: string }) => text.length <= 32 && !text.includes('\n');

function Answers(props: {
  question: OwnedQuestion;
  language: string | null;
  seed: string;
  isKey: boolean;
}) {
  const { t } = useMessages();
  const { seed, isKey } = props;
  const attributes = inLanguage(props.language);
  const { type, text, format, answers } = props.question;
  const correct = answers.filter((it) => it.isCorrect);
  if (type === 'OPEN_ENDED')
    return isKey ? (
      // A paragraph would end where an answer has a list.
      <div data-correct="" {...attributes}>
        <AuthorTexts texts={correct.map((it) => it.text)} format={format} list="disjunction" />
      </div>
    ) : (
      <p class="line" />
    );
  return (
    <>
      {isMultiple(props.question) && <ChooseAll of={text} />}
      <ul class={answers.every(isShort) ? 'short' : undefined}>
        {choicesOf(seed, type, answers).map((answer, at) => {
          const isMarked = isKey && answer.isCorrect;
          return (
            <li key={answer.id} data-correct={isMarked ? '' : undefined}>
              <span class="letter">{letter(at)}</span>{' '}
              <bdi {...attributes}>
                <AuthorText text={answer.text} format={format} />
              </bdi>
              {isMarked && <span aria-hidden="true"> ✓</span>}
              {isMarked && <span class="sr-only"> {t('answer.correct')}</span>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
