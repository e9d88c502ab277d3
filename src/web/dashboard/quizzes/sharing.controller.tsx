import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { RenderingService } from '../../../catalog/rendering/rendering.service';
import { Config } from '../../../platform/config/config';
import type { Issue } from '../../../platform/errors/domain-errors';
import { translated } from '../../../platform/messages/refusals';
import { TIME_FACTOR } from '../../../play/attempts/attempt.rules';
import { tidyNames } from '../../../play/attempts/visitor.rules';
import { CreateLinkRequest, LINKS_NOT_ALLOWED } from '../../../play/links/quiz-links.dto';
import { QuizLinksService } from '../../../play/links/quiz-links.service';
import { TextsOfPage } from '../../components/author-text';
import { LinkButton } from '../../components/button';
import { momentOf } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Section } from '../../components/section';
import { fieldError, type Form, numberIn, readForm, reworded } from '../../http/form';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { backTo } from './quiz-parts';
import {
  BigCode,
  closingMinute,
  EmbedSection,
  LinkFieldsOf,
  Shared,
  SharedLink,
} from './sharing.page';
import { Worksheet } from './worksheet.page';

const urlOf = (quizId: string) => `/dashboard/quizzes/${quizId}`;

/** The name, the closing time, the time factor and the list of names of a link. @throws Invalid */
function readLink(form: Form): CreateLinkRequest {
  const typed = form.text('closesAt');
  const closesAt = momentOf(typed);
  if (typed.trim() !== '' && !closesAt)
    throw fieldError('closesAt', 'Give a time such as 2027-03-01T12:30.', 'time');
  const name = form.text('name').trim() || null;
  const timeFactor = numberIn(form.text('timeFactor'));
  const names = tidyNames(form.text('names').split('\n'));
  // The API tells a name by its index, a page by itself.
  const reword = (issue: Issue): Issue => {
    if (issue.path === 'timeFactor')
      return {
        ...issue,
        message: `Enter a number from ${TIME_FACTOR.minimum} to ${TIME_FACTOR.maximum}, such as 1.5, or leave it empty`,
      };
    const [, index] = /^names\[(\d+)\]/.exec(issue.path) ?? [];
    if (index === undefined) return issue;
    const message = issue.message.replace(`names[${index}]`, () => `“${names[Number(index)]}”`);
    return { ...issue, path: 'names', message };
  };
  return { ...readForm(CreateLinkRequest, { name, names, timeFactor }, reword), closesAt };
}

/** An error of the service in the words of the form. */
const linkIssue = (issue: Issue): Issue =>
  issue.code === 'past' ? { ...issue, message: 'the closing time must be in the future' } : issue;

/** Sharing a quiz of one's own: its public page, unlisted links, QR codes, and paper. */
@SignedInPages('quizzes/:id')
export class SharingController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly links: QuizLinksService,
    private readonly accounts: AccountsService,
    private readonly config: Config,
    private readonly rendering: RenderingService,
  ) {}

  @Get('share')
  async show(@Asked() { accountId, id, form, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const [quiz, links] = await Promise.all([
      this.owned.get(accountId, id),
      this.links.list(accountId, id),
    ]);
    // A quiz that is not public cannot be embedded.
    const embedder = quiz.state === 'live' ? await this.accounts.get(accountId) : null;
    const at = urlOf(quiz.id);
    const isAllowed = this.config.unlistedLinks;
    return (
      <Page
        title={t('quiz.sharePrint')}
        help={quiz.state === 'live' ? t('share.live') : t('share.notLive')}
        back={backTo(quiz)}
        form={form}
      >
        {quiz.state === 'live' && (
          <Section title={t('share.public')} help={t('share.publicHelp')}>
            <Shared path={`/play/${quiz.slug}`} label={t('share.address')}>
              <div class="buttons">
                <LinkButton href={`${at}/share/big`} text={t('share.big')} />
              </div>
            </Shared>
          </Section>
        )}
        <Section title={t('share.links')} help={t('share.linksHelp')}>
          {!isAllowed && (
            <p class="after">
              {translated(LINKS_NOT_ALLOWED.error, messages)} {t('share.existing')}
            </p>
          )}
          {links.map((link) => (
            <SharedLink key={link.id} {...{ link, at, isAllowed }} />
          ))}
          {isAllowed && (
            <form method="post" action={`${at}/links`} autocomplete="off" class="form after">
              {links.length > 0 && <h3>{t('share.another')}</h3>}
              <LinkFieldsOf />
              <div class="buttons">
                <button class="btn">{t('share.create')}</button>
              </div>
            </form>
          )}
        </Section>
        {embedder && <EmbedSection {...{ quiz, at }} origins={embedder.embedOrigins} />}
        <Section title={t('share.paper')} help={t('share.paperHelp')}>
          <div class="buttons after">
            <LinkButton href={`${at}/print`} text={t('share.sheetA')} />
            <LinkButton href={`${at}/print?key=yes`} text={t('share.keyA')} />
            <LinkButton href={`${at}/print?version=B`} text={t('share.sheetB')} />
            <LinkButton href={`${at}/print?version=B&key=yes`} text={t('share.keyB')} />
          </div>
        </Section>
      </Page>
    );
  }

  @Post('embed')
  @OnRefusal('show')
  async embed(@Asked() { accountId, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.owned.get(accountId, id);
    await this.accounts.setEmbedOrigins(accountId, form.words('origins'));
    return redirect(`${urlOf(id)}/share`, t('share.embedSaved'));
  }

  /** For a projector: the QR code, and the short code for people who type it. The first view creates the code. */
  @Get('share/big')
  async showBig(@Asked() { accountId, id, query }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    const link = query('link') ? await this.links.get(accountId, id, query('link')) : null;
    const code = await this.links.codeOf(accountId, id, link?.id ?? null);
    return (
      <BigCode
        title={quiz.title}
        language={quiz.language}
        path={link?.path ?? `/play/${quiz.slug}`}
        code={code}
        back={`${urlOf(quiz.id)}/share`}
      />
    );
  }

  @Post('links')
  @OnRefusal('show')
  async create(
    @Asked() { accountId, id, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    await reworded(this.links.create(accountId, id, readLink(form)), linkIssue);
    return redirect(`${urlOf(id)}/share`, t('share.created'));
  }

  @Get('links/:link/edit')
  async editLink(
    @Asked() { accountId, id, param, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    const link = await this.links.get(accountId, id, param('link'));
    const at = urlOf(quiz.id);
    return (
      <FormPage
        title={t('share.editLink')}
        help={link.path}
        back={{ href: `${at}/share`, label: t('quiz.sharePrint') }}
        form={form}
        action={`${at}/links/${link.id}/edit`}
        button={t('do.save')}
      >
        <LinkFieldsOf link={link} />
      </FormPage>
    );
  }

  @Post('links/:link/edit')
  @OnRefusal('editLink')
  async saveLink(
    @Asked() { accountId, id, param, form, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    const link = await this.links.get(accountId, id, param('link'));
    const fields = readLink(form);
    // The field shows no seconds: saving the form must not take away those that a program has set.
    const isSame = form.text('closesAt') === closingMinute(link.closesAt);
    const closesAt = isSame ? undefined : fields.closesAt;
    const changing = this.links.change(accountId, id, link.id, { ...fields, closesAt });
    await reworded(changing, linkIssue);
    return redirect(`${urlOf(id)}/share`, t('share.linkSaved'));
  }

  @Post('links/:link/revoke')
  async revoke(
    @Asked() { accountId, id, param, messages: { t } }: PageRequest,
  ): Promise<PageResult> {
    await this.links.revoke(accountId, id, param('link'));
    return redirect(`${urlOf(id)}/share`, t('share.revoked'));
  }

  /** A page for the printer: the questions in the order of a version, or with `key` its solutions. */
  @Get('print')
  async print(@Asked() { accountId, id, query }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.getDetail(accountId, id);
    const version = query('version') === 'B' ? 'B' : 'A';
    const isKey = query('key') === 'yes';
    const texts = await this.rendering.forPaper(quiz.questions);
    return (
      <TextsOfPage.Provider value={texts}>
        <Worksheet {...{ quiz, version, isKey }} back={`${urlOf(quiz.id)}/share`} />
      </TextsOfPage.Provider>
    );
  }
}
