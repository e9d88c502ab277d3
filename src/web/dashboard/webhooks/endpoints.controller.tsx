import { Get, Post } from '@nestjs/common';
import { Config } from '../../../platform/config/config';
import { DeliveriesService } from '../../../webhooks/deliveries/deliveries.service';
import { WorkersService } from '../../../webhooks/deliveries/workers.service';
import { eventsNamed } from '../../../webhooks/endpoints/endpoint.rules';
import { EndpointSecretsService } from '../../../webhooks/endpoints/endpoint-secrets.service';
import type { EndpointView } from '../../../webhooks/endpoints/endpoints.dto';
import {
  type EndpointSettings,
  EndpointsService,
} from '../../../webhooks/endpoints/endpoints.service';
import { LinkButton } from '../../components/button';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { EmptyState, Table } from '../../components/table';
import type { Form } from '../../http/form';
import type { Viewer } from '../../http/page-context';
import { Asked, OnRefusal, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { patienceWith } from './delivery-state';
import { EndpointPage } from './endpoint.page';
import {
  EndpointFormPage,
  EndpointState,
  EventSummary,
  headOf,
  shortUrl,
  WebhooksTop,
} from './endpoint-state';
import { EndpointAddedPage, SecretStagedPage } from './signing-secret';

const AT = '/dashboard/webhooks';
/** Deliveries on an endpoint's own page. */
const NEWEST = 5;

@SignedInPages('webhooks')
export class EndpointsPagesController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly deliveries: DeliveriesService,
    private readonly secrets: EndpointSecretsService,
    private readonly workers: WorkersService,
    private readonly config: Config,
  ) {}

  @Get()
  async list(@Asked() { viewer, messages }: PageRequest): Promise<PageResult> {
    const [endpoints, workerRunning] = await Promise.all([
      this.endpoints.list(viewer),
      this.workers.isRunning(),
    ]);
    const { t } = messages;
    return (
      <Page
        {...headOf(messages)}
        action={
          <LinkButton look="primary" icon="plus" href={`${AT}/new`} text={t('webhook.add')} />
        }
      >
        <WebhooksTop at="endpoints" workerRunning={workerRunning} />
        <Table
          label={t('webhook.endpoints')}
          rows={endpoints}
          columns={[
            [
              'URL',
              ({ id, url, allAccounts }) => (
                <>
                  <Clip wide href={`${AT}/${id}`} text={url} />
                  {allAccounts && <span class="sub">{t('webhook.ofAll')}</span>}
                </>
              ),
            ],
            [
              t('list.state'),
              (endpoint) => (
                <div>
                  <EndpointState endpoint={endpoint} />
                </div>
              ),
            ],
            [t('webhook.events'), ({ events }) => <EventSummary events={events} />],
            [t('webhook.added'), ({ createdAt }) => <Time at={createdAt} />],
          ]}
          empty={
            <EmptyState title={t('webhook.none')} text={t('webhook.noneText')}>
              <LinkButton look="outline" href={`${AT}/new`} text={t('webhook.addOne')} />
            </EmptyState>
          }
        />
      </Page>
    );
  }

  @Get('new')
  blank(@Asked() { form }: PageRequest): PageResult {
    return this.formPage(null, form);
  }

  /** The response is the page with the secret, and not a redirect: no other page can show it. */
  @Post()
  @OnRefusal('blank')
  async add(@Asked() { viewer, form }: PageRequest): Promise<PageResult> {
    const added = await this.endpoints.add(viewer.accountId, settingsOf(form, viewer));
    return <EndpointAddedPage {...added} />;
  }

  /** @throws NotFound, also for another account's endpoint */
  @Get(':id')
  async show(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    const endpoint = await this.endpoints.get(viewer, id);
    const [deliveries, workerRunning] = await Promise.all([
      this.deliveries.list(viewer, { endpointId: id, limit: NEWEST }),
      this.workers.isRunning(),
    ]);
    return <EndpointPage {...{ endpoint, deliveries, workerRunning, form }} />;
  }

  @Get(':id/edit')
  async edit(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    return this.formPage(await this.endpoints.get(viewer, id), form);
  }

  @Post(':id/edit')
  @OnRefusal('edit')
  async save(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.endpoints.update(viewer, id, settingsOf(form, viewer));
    return redirect(`${AT}/${id}`, t('webhook.isSaved'));
  }

  @Post(':id/disable')
  async disable(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { url } = await this.endpoints.disable(viewer, id);
    return redirect(`${AT}/${id}`, t('webhook.isDisabled', { url: shortUrl(url) }));
  }

  @Post(':id/enable')
  async enable(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { url } = await this.endpoints.enable(viewer, id);
    return redirect(`${AT}/${id}`, t('webhook.isEnabled', { url: shortUrl(url) }));
  }

  @Post(':id/delete')
  async remove(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { url } = await this.endpoints.get(viewer, id);
    await this.endpoints.remove(viewer, id);
    return redirect(AT, t('webhook.isDeleted', { url: shortUrl(url) }));
  }

  /** Redirects to the test's delivery, which shows its result. */
  @Post(':id/test')
  @OnRefusal('show')
  async test(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const deliveryId = await this.deliveries.sendTest(viewer, id);
    const patience = await patienceWith(this.workers);
    const { status } = await this.deliveries.afterNextAttempt(viewer, deliveryId, 0, patience);
    const notice = status === 'delivered' ? t('webhook.testArrived') : undefined;
    return redirect(`${AT}/deliveries/${deliveryId}`, notice);
  }

  /** The response is the page with the secret, and not a redirect. */
  @Post(':id/secret/stage')
  @OnRefusal('show')
  async stage(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    return <SecretStagedPage {...await this.secrets.stage(viewer, id)} />;
  }

  @Post(':id/secret/promote')
  @OnRefusal('show')
  async promote(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.secrets.promote(viewer, id);
    return redirect(`${AT}/${id}#secret`, t('webhook.isPromoted'));
  }

  @Post(':id/secret/retire')
  @OnRefusal('show')
  async retire(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.secrets.retire(viewer, id);
    return redirect(`${AT}/${id}#secret`, t('webhook.isRetired'));
  }

  private formPage(endpoint: EndpointView | null, form: Form): PageResult {
    const { allowLoopback } = this.config.webhooks;
    return <EndpointFormPage {...{ endpoint, form, allowLoopback }} />;
  }
}

/** Only administrators can choose whose events; the service refuses the choice of anybody else. */
function settingsOf(form: Form, { isAdmin }: Viewer): EndpointSettings {
  const wanted = form.text('allAccounts') === 'yes';
  return {
    url: form.text('url'),
    events: eventsNamed(form.all('events')),
    ...((isAdmin || wanted) && { allAccounts: wanted }),
  };
}
