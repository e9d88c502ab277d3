import { Param, Post } from '@nestjs/common';
import { EndpointSecretsService } from '../../../webhooks/endpoints/endpoint-secrets.service';
import { TestEventsService } from '../../../webhooks/endpoints/test-events.service';
import { invalid, redirect, type PageResult } from '../../http/page-results';
import { attempt, Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { Delivering } from './delivering.service';
import { EndpointScreens } from './endpoint-screens.service';
import { SecretStagedPage } from './new-secret.page';

/** Testing an endpoint, and rotating its secret. */
@SignedInPages('webhooks/:id')
export class EndpointActionsController {
  constructor(
    private readonly secrets: EndpointSecretsService,
    private readonly tests: TestEventsService,
    private readonly delivering: Delivering,
    private readonly screens: EndpointScreens,
  ) {}

  /** Leads to the test's delivery, where its result is. */
  @Post('test')
  async test(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const deliveryId = await attempt(form, () => this.tests.send(viewer, id));
    if (deliveryId instanceof Form)
      return invalid(deliveryId, await this.screens.endpoint(viewer, id, deliveryId));
    const { status } = await this.delivering.afterNextAttempt(viewer, deliveryId, 0);
    return redirect(
      `/dashboard/webhooks/deliveries/${deliveryId}`,
      status === 'delivered' ? 'The test event has arrived.' : undefined,
    );
  }

  /** The answer is the page with the secret, and no redirect. */
  @Post('secret/stage')
  async stage(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    const staged = await attempt(form, () => this.secrets.stage(viewer, id));
    if (staged instanceof Form)
      return invalid(staged, await this.screens.endpoint(viewer, id, staged));
    return <SecretStagedPage endpoint={staged.endpoint} secret={staged.secret} />;
  }

  @Post('secret/promote')
  promote(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    return this.step(viewer, id, form, 'promote', 'The new secret is promoted.');
  }

  @Post('secret/retire')
  retire(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    return this.step(viewer, id, form, 'retire', 'The old secret is retired.');
  }

  private async step(
    viewer: Viewer,
    id: string,
    form: Form,
    step: 'promote' | 'retire',
    notice: string,
  ): Promise<PageResult> {
    const done = await attempt(form, () => this.secrets[step](viewer, id));
    if (done instanceof Form) return invalid(done, await this.screens.endpoint(viewer, id, done));
    return redirect(`/dashboard/webhooks/${id}#secret`, notice);
  }
}
