import { Get, Post } from '@nestjs/common';
import { mayWrite } from '../../../access/accounts/plan.rules';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { textLine } from '../../../catalog/rendering/question-html';
import { RenderingService } from '../../../catalog/rendering/rendering.service';
import { downloadOf } from '../../../import-export/exports/exports.service';
import { isUnderWay, REPORT_KINDS } from '../../../import-export/imports/import.rules';
import { ImportPreviewsService } from '../../../import-export/imports/import-previews.service';
import { ImportTextService } from '../../../import-export/imports/import-text.service';
import { ImportUndoService } from '../../../import-export/imports/import-undo.service';
import {
  CreateImportQuery,
  type ImportView,
  optionsOf,
} from '../../../import-export/imports/imports.dto';
import { ImportsService } from '../../../import-export/imports/imports.service';
import { nullIfNotFound, PlanRequired } from '../../../platform/errors/domain-errors';
import { readBody } from '../../../platform/http/request/validation.pipe';
import { TextsOfPage } from '../../components/author-text';
import { LinkButton, PostButton } from '../../components/button';
import { Clip, Time } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { EmptyState, pageOf, Pager, Table } from '../../components/table';
import { attempt, fieldError, Form } from '../../http/form';
import type { Viewer } from '../../http/page-context';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { backTo, backToQuizzes } from '../quizzes/quiz-parts';
import { ImportPage } from './import.page';
import { correctionsOf, MOST_PROBLEMS } from './import-corrections';
import { needsTitle } from './import-preview';
import { isReadAnew, readChanges } from './import-settings';
import { ImportBadge, QuizzesTable } from './import-tables';
import { receiveUpload, UploadFields } from './upload';

const AT = '/dashboard/imports';
const PER_PAGE = 25;
/** Of entries, or of the created quizzes. */
const ROWS_PER_PAGE = 50;

/**
 * After a file was read again. `notice` reports that it is done: while a worker reads the file, where it cannot be
 * read, and once it was imported, the page itself says so.
 */
const backToPreview = ({ id, startable }: ImportView, notice: string): PageResult =>
  redirect(`${AT}/${id}`, startable ? notice : undefined);

/** Shows a preview of every row of a question file first, and then imports it. */
@SignedInPages('imports')
export class ImportsPagesController {
  constructor(
    private readonly imports: ImportsService,
    private readonly previews: ImportPreviewsService,
    private readonly texts: ImportTextService,
    private readonly undoing: ImportUndoService,
    private readonly owned: OwnedQuizzesService,
    private readonly rendering: RenderingService,
  ) {}

  @Get()
  async list(@Asked() { viewer, query, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const page = pageOf(query('page'), PER_PAGE);
    const { rows, total } = await this.imports.listCurrent(viewer.accountId, page);
    const mayImport = mayWrite(viewer);
    return (
      <Page
        title={t('quizzes.imports')}
        help={t('import.listHelp')}
        back={backToQuizzes(messages)}
        action={
          mayImport && <LinkButton look="primary" href={`${AT}/new`} text={t('quizzes.import')} />
        }
        form={form}
      >
        <Table
          label={t('quizzes.imports')}
          rows={rows}
          columns={[
            [
              t('import.file'),
              ({ id, filename, firstQuestion }) =>
                firstQuestion ? (
                  <>
                    <Clip
                      href={`${AT}/${id}`}
                      text={textLine(firstQuestion.text, firstQuestion.format)}
                    />
                    <span class="sub clip">{filename}</span>
                  </>
                ) : (
                  <Clip href={`${AT}/${id}`} text={filename} />
                ),
            ],
            [t('list.state'), (view) => <ImportBadge {...view} />],
            [t('import.rowsTitle'), ({ totals }) => totals.rows],
            [t('import.title.imported'), ({ totals }) => totals.imported],
            [t('import.sent'), ({ createdAt }) => <Time at={createdAt} />],
          ]}
          actions={({ id, dryRun, state }) =>
            dryRun && !isUnderWay(state) ? (
              <PostButton action={`${AT}/${id}/remove`} text={t('do.remove')} />
            ) : null
          }
          empty={
            total === 0 && (
              <EmptyState title={t('import.none')}>
                <p>{t('import.bring')}</p>
                {mayImport ? (
                  <LinkButton look="outline" href={`${AT}/new`} text={t('import.choose')} />
                ) : (
                  <p>{t('plan.needed')}</p>
                )}
              </EmptyState>
            )
          }
        />
        <Pager page={page} total={total} at={AT} />
      </Page>
    );
  }

  /** The form to choose a file, for one quiz or for new ones. It saves nothing. */
  @Get('new')
  async blank(@Asked() { viewer, query, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const quiz = query('quiz') ? await this.owned.get(viewer.accountId, query('quiz')) : null;
    const head = {
      title: t('quizzes.import'),
      help: quiz ? t('import.helpQuiz', { title: quiz.title }) : t('import.help'),
      back: quiz ? backTo(quiz) : backToQuizzes(messages),
    };
    if (!mayWrite(viewer))
      return (
        <Page {...head}>
          <EmptyState title={t('import.notInPlan')} text={t('plan.needed')}>
            <LinkButton look="outline" href="/dashboard/account" text={t('plan.askFor')} />
          </EmptyState>
        </Page>
      );
    return (
      <FormPage
        {...head}
        form={form}
        action={quiz ? `${AT}?quiz=${quiz.id}` : AT}
        enctype="multipart/form-data"
        class="form wide"
        button={t('import.showPreview')}
      >
        <UploadFields largest={this.imports.largestFile} />
      </FormPage>
    );
  }

  /** `quiz` is in the URL and not in the form, so it is known before the file arrives. */
  @Post()
  async upload(@Asked() asked: PageRequest): Promise<PageResult> {
    const { viewer, accountId, query } = asked;
    const quiz = query('quiz') ? await this.owned.get(accountId, query('quiz')) : null;
    const read = await receiveUpload(asked, ({ form, fileName, bytes }) =>
      attempt(
        form,
        async () => {
          this.requirePlan(viewer);
          if (!fileName)
            throw fieldError('file', 'Choose a file, or paste your questions', 'required');
          const options = optionsOf(
            readBody(CreateImportQuery, { dry_run: 'true', quiz_id: quiz?.id }),
          );
          return this.previews.open({ accountId, fileName, bytes, options });
        },
        'file',
      ),
    );
    if (read instanceof Form) return this.blank(asked.refused(read));
    return redirect(`${AT}/${read.id}`);
  }

  @Get(':id')
  async show(@Asked() { accountId, id, query, form }: PageRequest): Promise<PageResult> {
    const kind = REPORT_KINDS.find((it) => it === query('kind'));
    const page = pageOf(query('page'), ROWS_PER_PAGE);
    const before = await this.imports.get(accountId, id);
    const text = await this.texts.textOf(before);
    const problems = await this.problemsOf(accountId, before, text);
    // Mistakes that can be corrected stand above the questions.
    const shown =
      problems.entries.length > 0 ? (['duplicate'] as const) : (['error', 'duplicate'] as const);
    const report = await this.imports.report(accountId, id, { ...page, kind: kind ?? shown });
    const { view } = report;
    const { quizId } = view;
    // null: it was deleted meanwhile.
    const quiz =
      quizId === null ? null : await this.owned.get(accountId, quizId).catch(nullIfNotFound);
    const texts = await this.rendering.forPage(report.sample);
    return (
      <TextsOfPage.Provider value={texts}>
        <ImportPage {...{ report, quiz, kind: kind ?? null, page, form, text, problems }} />
      </TextsOfPage.Provider>
    );
  }

  @Get(':id/quizzes')
  async quizzes(
    @Asked() { accountId, id, query, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const view = await this.imports.get(accountId, id);
    const page = pageOf(query('page'), ROWS_PER_PAGE);
    const { rows, total } = await this.imports.quizzesOf(accountId, id, page);
    return (
      <Page
        title={t('import.quizzesOf')}
        help={<span class="said">{view.filename}</span>}
        back={{ href: `${AT}/${id}`, label: t('import.theImport') }}
      >
        <QuizzesTable quizzes={rows} total={total} />
        <Pager page={page} total={total} at={`${AT}/${id}/quizzes`} />
      </Page>
    );
  }

  @Post(':id/start')
  @OnRefusal('show')
  async start(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    this.requirePlan(viewer);
    const { accountId } = viewer;
    const published = form.text('published') === 'yes';
    // `published` is a choice of the import: to change it, the file need not be read again.
    const before = { ...(await this.imports.get(accountId, id)), published };
    if (form.all('title').length > 0 && !form.text('title').trim()) {
      const report = await this.imports.report(accountId, id, { limit: 1, offset: 0 });
      if (needsTitle(report))
        throw fieldError('title', 'Write a title: the file has none', 'required');
    }
    const options = readChanges(form, before);
    const text = await this.texts.corrected(before, correctionsOf(form));
    if (text !== null) {
      // What was corrected and not read yet would be left out.
      const view = await this.texts.replace(accountId, before, text, options);
      return backToPreview(view, t('import.textRead'));
    }
    if (options) {
      // Nobody has seen yet what other columns give.
      const startsOnceRead = !isReadAnew(options, before);
      const view = await this.previews.change(accountId, id, options, { startsOnceRead });
      // What was read already and has not begun does not fit: `start` says why.
      if (!startsOnceRead || !view.startable) return backToPreview(view, t('import.changed'));
    }
    await this.previews.start(accountId, id, published);
    return redirect(`${AT}/${id}`);
  }

  /** Reads the file again with other settings and corrections. */
  @Post(':id/preview')
  @OnRefusal('show')
  async change(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    this.requirePlan(viewer);
    const { accountId } = viewer;
    const before = await this.imports.get(accountId, id);
    const options = readChanges(form, before);
    const text = await this.texts.corrected(before, correctionsOf(form));
    if (text !== null) {
      const view = await this.texts.replace(accountId, before, text, options);
      return backToPreview(view, t('import.textRead'));
    }
    const view = options ? await this.previews.change(accountId, id, options) : before;
    return backToPreview(view, t('import.upToDate'));
  }

  /** Deletes a preview. */
  @Post(':id/remove')
  @OnRefusal('list')
  async remove(@Asked() { accountId, id, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.previews.remove(accountId, id);
    return redirect(AT, t('import.removed'));
  }

  @Post(':id/undo')
  @OnRefusal('show')
  async undo(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { quizzes, questions, more } = await this.undoing.undo(viewer, id);
    const deleted = t(quizzes > 0 ? 'import.undoneQuizzes' : 'import.undone', {
      quizzes,
      count: questions,
    });
    return redirect(`${AT}/${id}`, more ? `${deleted} ${t('import.undoneMore')}` : deleted);
  }

  /** A spreadsheet to fill in. */
  @Get('template.csv')
  template(): PageResult {
    return downloadOf('questions.csv', 'text/csv', [TEMPLATE]);
  }

  @Post(':id/cancel')
  @OnRefusal('show')
  async cancel(@Asked() { accountId, id, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.imports.cancel(accountId, id);
    return redirect(`${AT}/${id}`, t('import.isCancelled'));
  }

  private requirePlan(viewer: Viewer): void {
    if (!mayWrite(viewer))
      throw new PlanRequired('A Starter or Pro plan is needed to import questions.');
  }

  /** The rejected rows of a preview, as they are written if they can be corrected. */
  private async problemsOf(accountId: string, view: ImportView, text: string | null) {
    if (!view.startable || view.totals.errors === 0) return { entries: [], rows: [] };
    const page = { limit: MOST_PROBLEMS, offset: 0, kind: 'error' as const };
    const { entries } = await this.imports.report(accountId, view.id, page);
    const lines = entries.rows.map(({ line }) => line);
    const rows = text === null ? [] : await this.texts.rowsOf(view, text, lines);
    return { entries: entries.rows, rows };
  }
}

const TEMPLATE =
  '\ufeff' +
  [
    'question,answer_1,answer_2,answer_3,answer_4,correct_numbers,difficulty,explanation',
    'Which river flows through Vienna?,The Danube,The Rhine,The Elbe,,1,EASY,It also flows through Budapest.',
    'Which of these are prime?,2,3,4,5,1 2 4,MEDIUM,',
    'The Nile flows north.,True,False,,,1,,',
  ].join('\r\n');
