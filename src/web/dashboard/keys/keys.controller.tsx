import { Get, Param, Post } from '@nestjs/common';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { IssuedKeyPage, NewKeyPage, RotateKeyPage } from './key-form.page';
import { LIFETIMES, OVERLAPS } from './key-choices';
import { KeysPage } from './keys.page';

@SignedInPages('keys')
export class KeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  async list(@CurrentViewer() { accountId }: Viewer): Promise<PageResult> {
    return <KeysPage keys={await this.keys.list(accountId)} />;
  }

  @Get('new')
  blank(): PageResult {
    return <NewKeyPage form={new Form()} />;
  }

  /** The answer is the page with the key, and no redirect: it is kept nowhere from where it could be read. */
  @Post()
  async issue(
    @CurrentViewer() { accountId }: Viewer,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const issued = await attempt(form, () =>
      this.keys.issueOwn(accountId, form.text('name'), LIFETIMES.valueOf(form.text('lifetime'))),
    );
    if (issued instanceof Form) return invalid(issued, <NewKeyPage form={issued} />);
    return <IssuedKeyPage stored={issued.stored} secret={issued.key} />;
  }

  @Get(':id/rotate')
  async askToRotate(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    return <RotateKeyPage stored={await this.keys.get(accountId, id)} form={new Form()} />;
  }

  @Post(':id/rotate')
  async rotate(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const rotated = await attempt(form, () =>
      this.keys.rotate(accountId, id, OVERLAPS.valueOf(form.text('overlap'))),
    );
    if (rotated instanceof Form)
      return invalid(
        rotated,
        <RotateKeyPage stored={await this.keys.get(accountId, id)} form={rotated} />,
      );
    return <IssuedKeyPage stored={rotated.stored} secret={rotated.key} old={rotated.old} />;
  }

  @Post(':id/revoke')
  async revoke(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { name } = await this.keys.revokeOwn(accountId, id);
    return redirect(
      '/dashboard/keys',
      `The key “${name}” is revoked: requests with it are refused.`,
    );
  }
}
