import { Get, Post } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { RenderingService } from '../../../catalog/rendering/rendering.service';
import { Config } from '../../../platform/config/config';
import type { Issue } from '../../../platform/errors/domain-errors';
import { tidyNames } from '../../../play/attempts/visitor.rules';
import { CreateLinkRequest, LINKS_NOT_ALLOWED } from '../../../play/links/quiz-links.dto';
import { QuizLinksService } from '../../../play/links/quiz-links.service';
import { TextsOfPage } from '../../components/author-text';
import { LinkButton } from '../../components/button';
import { PostForm } from '../../components/fields';
import { momentOf } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Section } from '../../components/section';
import { fieldError, type Form, numberIn, readForm } from '../../http/form';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { backTo } from './quiz-parts';
import { BigCode, EmbedSection, LinkFieldsOf, Shared, SharedLink } from './sharing.page';
import { WorkSheet } from './work-sheet.page';

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
      return { ...issue, message: 'Enter a number from 1 to 4, such as 1.5, or leave it empty' };
    const [, index] = /^names\[(\d+)\]/.exec(issue.path) ?? [];
    if (index === undefined) return issue;
    const message = issue.message.replace(`names[${index}]`, `“${names[Number(index)]}”`);
    return { ...issue, path: 'names', message };
  };
  return { ...readForm(CreateLinkRequest, { name, names, timeFactor }, reword), closesAt };
}

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
  async show(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const [quiz, links, { embedOrigins }] = await Promise.all([
      this.owned.get(accountId, id),
      this.links.list(accountId, id),
      this.accounts.get(accountId),
    ]);
    const at = urlOf(quiz.id);
    const isAllowed = this.config.unlistedLinks;
    return (
      <Page
        title="Share and print"
        help={
          quiz.state === 'live'
            ? 'The quiz is public. Give people its address, or an unlisted link.'
            : 'The quiz is not public. An unlisted link lets the people you choose play it.'
        }
        back={backTo(quiz)}
      >
        {quiz.state === 'live' && (
          <Section title="Public page" help="Anyone can find and play it.">
            <Shared path={`/play/${quiz.slug}`} label="Address of the quiz">
              <div class="buttons">
                <LinkButton href={`${at}/share/big`} text="Show big" />
              </div>
            </Shared>
          </Section>
        )}
        <Section
          title="Unlisted links"
          help="Anyone who has the link can play the quiz as it is now, before and without review. It appears in no list and no search, and it has no leaderboard: only you see the results."
        >
          {!isAllowed && (
            <p class="after">
              {LINKS_NOT_ALLOWED.error} Links that exist do not work until they are allowed again.
            </p>
          )}
          {links.map((link) => (
            <SharedLink key={link.id} {...{ link, at, isAllowed }} />
          ))}
          {isAllowed && (
            <PostForm form={form} action={`${at}/links`} class="form after">
              {links.length > 0 && <h3>Another link</h3>}
              <LinkFieldsOf />
              <div class="buttons">
                <button class="btn">Create a link</button>
              </div>
            </PostForm>
          )}
        </Section>
        {quiz.state === 'live' && <EmbedSection {...{ quiz, origins: embedOrigins, form, at }} />}
        <Section
          title="On paper"
          help="A work sheet to fill in, and the same sheet with the correct answers marked. Version B has the same questions and answers in another order, for neighbours."
        >
          <div class="buttons after">
            <LinkButton href={`${at}/print`} text="Work sheet A" />
            <LinkButton href={`${at}/print?key=yes`} text="Answer key A" />
            <LinkButton href={`${at}/print?version=B`} text="Work sheet B" />
            <LinkButton href={`${at}/print?version=B&key=yes`} text="Answer key B" />
          </div>
        </Section>
      </Page>
    );
  }

  @Post('embed')
  @OnRefusal('show')
  async embed(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    await this.owned.get(accountId, id);
    await this.accounts.setEmbedOrigins(accountId, form.words('origins'));
    return redirect(`${urlOf(id)}/share`, 'Saved. It applies to all your quizzes.');
  }

  /** For a projector: the QR code, and the short code for whoever types. Its first look makes the code. */
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
  @OnRefusal('show', 'closesAt')
  async create(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    await this.links.create(accountId, id, readLink(form));
    return redirect(`${urlOf(id)}/share`, 'The link is ready. Give it to your players.');
  }

  @Get('links/:link/edit')
  async editLink(@Asked() { accountId, id, param, form }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.get(accountId, id);
    const link = await this.links.get(accountId, id, param('link'));
    const at = urlOf(quiz.id);
    return (
      <FormPage
        title="Edit the link"
        help={link.path}
        back={{ href: `${at}/share`, label: 'Share and print' }}
        form={form}
        action={`${at}/links/${link.id}/edit`}
        button="Save"
      >
        <LinkFieldsOf link={link} />
      </FormPage>
    );
  }

  @Post('links/:link/edit')
  @OnRefusal('editLink')
  async saveLink(@Asked() { accountId, id, param, form }: PageRequest): Promise<PageResult> {
    await this.links.change(accountId, id, param('link'), readLink(form));
    return redirect(`${urlOf(id)}/share`, 'The link is saved.');
  }

  @Post('links/:link/revoke')
  async revoke(@Asked() { accountId, id, param }: PageRequest): Promise<PageResult> {
    await this.links.revoke(accountId, id, param('link'));
    return redirect(`${urlOf(id)}/share`, 'The link is revoked: nobody can start the quiz by it.');
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
        <WorkSheet {...{ quiz, version, isKey }} back={`${urlOf(quiz.id)}/share`} />
      </TextsOfPage.Provider>
    );
  }
}
