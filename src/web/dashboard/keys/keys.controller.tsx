import { Get, Post } from '@nestjs/common';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { pageOf } from '../../components/table';
import { fieldError, type Form } from '../../http/form';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { ASSISTANT_KEY_SCOPES, ConnectAssistantPage, NewAssistantPage } from './assistant.page';
import {
  AT,
  IssuedKeyPage,
  KeysPage,
  LIFETIMES,
  NewKeyPage,
  OVERLAPS,
  RotateKeyPage,
} from './keys.page';

const PER_PAGE = 25;

@SignedInPages('keys')
export class KeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  async list(@Asked() { accountId, query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), PER_PAGE);
    return <KeysPage {...await this.keys.listPage(accountId, page)} page={page} />;
  }

  @Get('new')
  blank(@Asked() { form, query }: PageRequest): PageResult {
    return <NewKeyPage form={form} isForDocs={query('for') === 'docs'} />;
  }

  /** The response is the page with the key, and not a redirect, because the key is not stored. */
  @Post()
  @OnRefusal('blank')
  async issue(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    const lifetime = chosen(LIFETIMES, 'lifetime', form);
    const restrictions = {
      scopes: form.all('scopes'),
      origins: form.words('origins'),
    };
    const name = form.text('name');
    return <IssuedKeyPage {...await this.keys.issueOwn(accountId, name, lifetime, restrictions)} />;
  }

  @Get('assistant')
  assistant(@Asked() { form }: PageRequest): PageResult {
    return <NewAssistantPage form={form} />;
  }

  /** Like `issue`, with fewer scopes; the response also shows how to configure clients. */
  @Post('assistant')
  @OnRefusal('assistant')
  async connect(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    const lifetime = chosen(LIFETIMES, 'lifetime', form);
    const scopes = ASSISTANT_KEY_SCOPES.filter((scope) => form.all('scopes').includes(scope));
    const issued = await this.keys.issueOwn(accountId, form.text('name'), lifetime, { scopes });
    return <ConnectAssistantPage {...issued} />;
  }

  @Get(':id/rotate')
  async askToRotate(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    return <RotateKeyPage stored={await this.keys.get(accountId, id)} form={form} />;
  }

  @Post(':id/rotate')
  @OnRefusal('askToRotate')
  async rotate(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    const overlap = chosen(OVERLAPS, 'overlap', form);
    return <IssuedKeyPage {...await this.keys.rotate(accountId, id, overlap)} />;
  }

  @Post(':id/revoke')
  async revoke(@Asked() { accountId, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { name } = await this.keys.revokeOwn(accountId, id);
    return redirect(AT, t('apiKey.isRevoked', { name }));
  }
}

/** The value of a choice in the form. @throws Invalid for anything else */
function chosen<T>(choices: readonly { value: string; means: T }[], field: string, form: Form): T {
  const choice = choices.find(({ value }) => value === form.text(field));
  if (!choice) throw fieldError(field, 'Choose one of the listed options');
  return choice.means;
}
