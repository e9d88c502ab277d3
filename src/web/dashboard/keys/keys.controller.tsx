import { Get, Post } from '@nestjs/common';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { fieldError, Form } from '../../http/form';
import { Asked, SignedInPages, type PageRequest } from '../../http/page-controller';
import { redirect, submit, type PageResult } from '../../http/page-results';
import {
  IssuedKeyPage,
  KeysPage,
  LIFETIMES,
  NewKeyPage,
  OVERLAPS,
  RotateKeyPage,
} from './keys.page';

const AT = '/dashboard/keys';

@SignedInPages('keys')
export class KeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  async list(@Asked() { accountId }: PageRequest): Promise<PageResult> {
    return <KeysPage keys={await this.keys.list(accountId)} />;
  }

  @Get('new')
  blank(): PageResult {
    return <NewKeyPage form={new Form()} />;
  }

  /** The response is the page with the key, and not a redirect: the key is stored nowhere. */
  @Post()
  issue(@Asked() { accountId, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const lifetime = chosen(LIFETIMES, 'lifetime', form);
        const { stored, key } = await this.keys.issueOwn(accountId, form.text('name'), lifetime);
        return <IssuedKeyPage stored={stored} secret={key} />;
      },
      (refused) => <NewKeyPage form={refused} />,
    );
  }

  @Get(':id/rotate')
  askToRotate(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    return this.rotatePage(accountId, id, new Form());
  }

  @Post(':id/rotate')
  rotate(@Asked() { accountId, id, form }: PageRequest): Promise<PageResult> {
    return submit(
      form,
      async () => {
        const overlap = chosen(OVERLAPS, 'overlap', form);
        const { stored, key, old } = await this.keys.rotate(accountId, id, overlap);
        return <IssuedKeyPage stored={stored} secret={key} old={old} />;
      },
      (refused) => this.rotatePage(accountId, id, refused),
    );
  }

  @Post(':id/revoke')
  async revoke(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    const { name } = await this.keys.revokeOwn(accountId, id);
    return redirect(AT, `The key “${name}” is revoked: requests with it are refused.`);
  }

  private async rotatePage(accountId: string, id: string, form: Form) {
    return <RotateKeyPage stored={await this.keys.get(accountId, id)} form={form} />;
  }
}

/** What a choice of the form stands for. @throws Invalid for anything else */
function chosen<T>(choices: readonly { value: string; means: T }[], field: string, form: Form): T {
  const choice = choices.find(({ value }) => value === form.text(field));
  if (!choice) throw fieldError(field, 'Choose one of these');
  return choice.means;
}
