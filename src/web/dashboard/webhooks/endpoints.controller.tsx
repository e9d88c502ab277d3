import { Get, Param, Post } from '@nestjs/common';
import { EndpointNoticesService } from '../../../webhooks/endpoint-notices.service';
import {
  EndpointsService,
  type EndpointSettings,
} from '../../../webhooks/endpoints/endpoints.service';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { Delivering } from './delivering.service';
import { EditEndpointPage, NewEndpointPage } from './endpoint-form.page';
import { EndpointScreens } from './endpoint-screens.service';
import { shortUrl } from './endpoint-status.rules';
import { EndpointsPage } from './endpoints.page';
import { EndpointAddedPage } from './new-secret.page';

@SignedInPages('webhooks')
export class EndpointsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly notices: EndpointNoticesService,
    private readonly delivering: Delivering,
    private readonly screens: EndpointScreens,
  ) {}

  @Get()
  async list(@CurrentViewer() viewer: Viewer): Promise<PageResult> {
    const [endpoints, notices, delivering] = await Promise.all([
      this.endpoints.list(viewer),
      this.notices.list(viewer.accountId),
      this.delivering.isOn(),
    ]);
    return <EndpointsPage {...{ endpoints, notices, delivering }} />;
  }

  @Get('new')
  blank(): PageResult {
    return <NewEndpointPage form={new Form()} />;
  }

  /** The answer is the page with the secret, and no redirect: it is kept nowhere from where it could be read. */
  @Post()
  async add(@CurrentViewer() viewer: Viewer, @PostedForm() form: Form): Promise<PageResult> {
    const added = await attempt(form, () =>
      this.endpoints.add(viewer.accountId, settingsOf(form, viewer)),
    );
    if (added instanceof Form) return invalid(added, <NewEndpointPage form={added} />);
    return <EndpointAddedPage endpoint={added.endpoint} secret={added.secret} />;
  }

  @Get(':id')
  async show(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return this.screens.endpoint(viewer, id, new Form());
  }

  @Get(':id/edit')
  async edit(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return <EditEndpointPage endpoint={await this.endpoints.get(viewer, id)} form={new Form()} />;
  }

  @Post(':id/edit')
  async save(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const saved = await attempt(form, () =>
      this.endpoints.update(viewer, id, settingsOf(form, viewer)),
    );
    if (saved instanceof Form)
      return invalid(
        saved,
        <EditEndpointPage endpoint={await this.endpoints.get(viewer, id)} form={saved} />,
      );
    return redirect(`/dashboard/webhooks/${id}`, 'The settings are saved.');
  }

  @Post(':id/disable')
  async disable(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { url } = await this.endpoints.disable(viewer, id);
    return redirect(
      `/dashboard/webhooks/${id}`,
      `${shortUrl(url)} is disabled. Its events are kept.`,
    );
  }

  @Post(':id/enable')
  async enable(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { url } = await this.endpoints.enable(viewer, id);
    return redirect(
      `/dashboard/webhooks/${id}`,
      `${shortUrl(url)} is enabled. What was kept is sent now.`,
    );
  }

  @Post(':id/dismiss')
  async dismiss(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    await this.notices.dismiss(viewer, id);
    return redirect(form.text('at') === 'overview' ? '/dashboard' : '/dashboard/webhooks');
  }

  @Post(':id/delete')
  async remove(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    const { url } = await this.endpoints.get(viewer, id);
    await this.endpoints.remove(viewer, id);
    return redirect('/dashboard/webhooks', `${shortUrl(url)} is deleted.`);
  }
}

/** Nobody else is asked whose events: what a form of theirs says of it is for the service to refuse. */
function settingsOf(form: Form, { isAdmin }: Viewer): EndpointSettings {
  const wanted = form.text('allAccounts') === 'yes';
  return {
    url: form.text('url'),
    events: form.all('events'),
    ...((isAdmin || wanted) && { allAccounts: wanted }),
  };
}
