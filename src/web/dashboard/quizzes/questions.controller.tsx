import { Get, Post } from '@nestjs/common';
import { QuestionEditingService } from '../../../authoring/questions/question-editing.service';
import { QuestionInput } from '../../../authoring/questions/questions.dto';
import {
  type OwnedQuestion,
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../../catalog/quizzes/owned-quizzes.service';
import {
  Conflict,
  GoneMeanwhile,
  type Issue,
  NotFound,
  nullIfNotFound,
} from '../../../platform/errors/domain-errors';
import { keyChangeOf } from '../../../play/regrade/key-change.rules';
import { RegradeService } from '../../../play/regrade/regrade.service';
import { SelectField, VersionField } from '../../components/fields';
import { withParameter } from '../../components/format';
import { FormPage } from '../../components/page';
import { type Form, readForm, reworded } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { Asked, OnRefusal, PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { EditorAssets, QuestionFields, WritingHelp } from './question-fields';
import {
  MOST_ROWS,
  questionBody,
  questionIssue,
  questionValues,
  readAll,
  restructured,
} from './question-form';
import { questionHref, questionsHref } from './quiz.page';
import { editorValues } from './quiz-form';
import { QuizFormPage } from './quiz-form.page';
import { backTo, regradeHref } from './quiz-parts';

/** Quizzes to which a question can be moved: those changed last. */
const OFFERED = 100;

@SignedInPages('quizzes/:id/questions')
export class QuestionPagesController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly editing: QuestionEditingService,
    private readonly regrades: RegradeService,
  ) {}

  @Get('new')
  async blank(@Asked() { accountId, id, form, query }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    const copied = query('like') && (await this.owned.getQuestion(accountId, id, query('like')));
    const like = copied ? copied.question : null;
    return <QuestionFormPage quiz={quiz} question={null} like={like} form={form} />;
  }

  @Post()
  @OnRefusal('blank')
  async add(@Asked() asked: PageRequest): Promise<PageResult> {
    const { t } = asked.messages;
    const { viewer, accountId, id, form } = asked;
    if (await this.isQuizGone(accountId, id)) return this.inNewQuiz(asked);
    const changed = restructured(form);
    if (changed) return this.blank(new PageRequest(asked.request, changed));
    const adding = this.editing.add(viewer, id, await readQuestion(form));
    const added = await reworded(adding, (issue) => questionIssue(form, KEY, issue));
    return redirect(
      form.text('then') === 'another'
        ? `/dashboard/quizzes/${id}/questions/new`
        : questionHref(id, added),
      t('question.added', { number: added.position }),
    );
  }

  @Get(':question/edit')
  async edit(@Asked() { accountId, id, param, form }: PageRequest): Promise<PageResult> {
    const { quiz, question } = await this.owned.getQuestion(accountId, id, param('question'));
    // The question was stored before the limit existed. The form would drop the other answers, and saving would delete them.
    if (question.answers.length > MOST_ROWS)
      throw new Conflict(
        `This question has ${question.answers.length} answers, more than the ${MOST_ROWS} that the form can show. Set at most ${MOST_ROWS} answers with PATCH /api/v1/questions/${question.id}.`,
      );
    const quizzes = await this.owned.list(accountId, {}, { limit: OFFERED, offset: 0 });
    return <QuestionFormPage {...{ quiz, question, form, quizzes }} />;
  }

  @Post(':question/edit')
  @OnRefusal('edit')
  async save(@Asked() asked: PageRequest): Promise<PageResult> {
    const { t } = asked.messages;
    const { viewer, accountId, id, param, form } = asked;
    const stored = await this.owned
      .getQuestion(accountId, id, param('question'))
      .catch(nullIfNotFound);
    if (!stored) {
      if (await this.isQuizGone(accountId, id)) return this.inNewQuiz(asked);
      return this.blank(asked.refused(form.refusedBy(new GoneMeanwhile('Question'))));
    }
    const restructuredForm = restructured(form);
    if (restructuredForm) return this.edit(new PageRequest(asked.request, restructuredForm));
    const target = form.text('quiz');
    if (target !== '' && target !== id) {
      if (!(await this.isQuizGone(accountId, target))) return this.moveTo(target, asked);
      return this.edit(asked.refused(form.refusedBy(targetGone(), 'quiz')));
    }
    const { quiz, question } = stored;
    const read = { quizId: id, questionId: question.id, expected: form.text('version') };
    const saving = this.editing.edit(viewer, read, await readQuestion(form));
    const saved = await reworded(saving, (issue) => questionIssue(form, KEY, issue));
    const change = keyChangeOf({ ...quiz, questions: [question] }, { ...quiz, questions: [saved] });
    const earlier = await this.regrades.countEarlier(accountId, id, change);
    const next = earlier ? regradeHref(id) : questionHref(id, saved);
    return redirect(next, t('question.saved', { number: saved.position }));
  }

  private async isQuizGone(accountId: string, id: string): Promise<boolean> {
    return (await this.owned.get(accountId, id).catch(nullIfNotFound)) === null;
  }

  /** The form's question as the first one of a new quiz, since its quiz was deleted: what was typed is not lost. */
  private async inNewQuiz(asked: PageRequest): Promise<PageResult> {
    const languages = await this.owned.usualLanguages(asked.accountId);
    const typed = asked.form.plus({ ...editorValues(null, languages[0]), question: KEY });
    const { form } = asked.refused(typed.refusedBy(new GoneMeanwhile('Quiz')));
    return <QuizFormPage quiz={null} form={form} categories={[]} languages={languages} />;
  }

  /** Saves the form's question in another quiz. */
  private async moveTo(
    target: string,
    { viewer, id, param, form, messages }: PageRequest,
  ): Promise<PageResult> {
    const read = { quizId: id, questionId: param('question'), expected: form.text('version') };
    const moving = this.editing.moveTo(viewer, read, await readQuestion(form), target);
    const moved = await reworded(moving, (issue) => questionIssue(form, KEY, issue));
    return redirect(
      questionHref(target, moved),
      messages.t('question.movedHere', { number: moved.position }),
    );
  }

  @Post(':question/move')
  async move(@Asked() { viewer, id, param, form }: PageRequest): Promise<PageResult> {
    const by = form.direction;
    const moved = await this.editing.move(viewer, id, param('question'), by);
    const { position } = moved;
    // The first cannot go up, nor the last down: their other button has the focus.
    const next = position === 1 ? 'down' : position === moved.count ? 'up' : by;
    const at = questionsHref(id, position);
    // Its menu is open again, for the next step.
    return redirect(`${withParameter(at, 'menu', moved.id)}#${next}-${moved.id}`);
  }

  @Post(':question/delete')
  async remove(@Asked() asked: PageRequest): Promise<PageResult> {
    const { viewer, accountId, id, param, messages } = asked;
    const removing = this.editing.delete(viewer, { quizId: id, questionId: param('question') });
    const { position } = await removing;
    const { questionCount } = await this.owned.get(accountId, id);
    return redirect(
      questionsHref(id, Math.min(position, questionCount)),
      messages.t('question.deleted', { number: position }),
    );
  }
}

/** The quiz to which a question is to be moved is not there any more. */
const targetGone = () =>
  new NotFound(
    'Quiz',
    'This quiz was deleted after you opened the form. Choose another one, or leave the question where it is.',
  );

/** The key of the form's only question. */
const KEY = 'q';

/** The form's input; empty rows are left out. @throws Invalid */
function readQuestion(form: Form): Promise<QuestionInput> {
  const body = questionBody(form, KEY);
  const reword = (issue: Issue) => questionIssue(form, KEY, issue);
  return readAll(() => readForm(QuestionInput, body, reword), [body], reword);
}

/**
 * A question by itself, for a correction or for a quiz that is too large for the editor.
 * @param question null: a new one, which begins as a copy of `like`
 */
function QuestionFormPage({
  quiz,
  question,
  like,
  form,
  quizzes = [],
}: {
  quiz: OwnedQuiz;
  question: OwnedQuestion | null;
  like?: OwnedQuestion | null;
  form: Form;
  /** To which it can be moved. */
  quizzes?: OwnedQuiz[];
}) {
  const { t } = useMessages();
  const others = quizzes.filter(({ id }) => id !== quiz.id);
  const at = `/dashboard/quizzes/${quiz.id}/questions`;
  const initial = { ...(question ?? like), difficulty: (question ?? like ?? quiz).difficulty };
  return (
    <FormPage
      title={question ? t('quiz.editQuestion', { number: question.position }) : t('question.new')}
      help={question ? undefined : t('question.willBe', { number: quiz.questionCount + 1 })}
      back={backTo(quiz)}
      head={<EditorAssets />}
      form={
        form.isBlank
          ? form.plus({
              ...questionValues(KEY, initial),
              version: question?.version ?? '',
              focus: `${KEY}.text`,
            })
          : form
      }
      action={question ? `${at}/${question.id}/edit` : at}
      class="form wide editor"
      button={question ? t('do.save') : t('question.add')}
      also={
        !question && (
          <button class="btn" data-variant="outline" name="then" value="another">
            {t('question.addAnother')}
          </button>
        )
      }
    >
      {question && <VersionField version={question.version} />}
      {/* Enter presses a form's first button, so the first one must save. */}
      <button class="sr-only" tabIndex={-1} aria-hidden="true">
        {t('do.save')}
      </button>
      <WritingHelp />
      <div class="form panel question-fields">
        <QuestionFields name={KEY} />
        {(others.length > 0 || form.has('quiz')) && (
          <SelectField
            name="quiz"
            label={t('player.quiz')}
            help={t('question.moveHelp')}
            options={[quiz, ...others].map(({ id, title }) => ({ value: id, label: title }))}
          />
        )}
      </div>
    </FormPage>
  );
}
