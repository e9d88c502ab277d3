import { Readable } from 'node:stream';
import { Get, StreamableFile } from '@nestjs/common';
import { AuditLog } from '../../../access/audit/audit-log';
import { isId } from '../../../platform/text/ids';
import { firstCodePoints } from '../../../platform/text/text.rules';
import { LONGEST_SEARCH, Select } from '../../components/fields';
import { Link } from '../../components/format';
import { ListSearch } from '../../components/list-search';
import { Page } from '../../components/page';
import { EmptyState, NewestFirst } from '../../components/table';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { AuditTable } from './audit-table';

const AT = '/dashboard/admin/audit';
const PER_PAGE = 50;

@AdministratorPages('audit')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  async list(@Asked() { query, messages: { t } }: PageRequest): Promise<PageResult> {
    const before = isId(query('before')) ? query('before') : '';
    const filter = filterIn(query);
    // One more than is shown tells whether there is another page.
    const found = await this.audit.list(PER_PAGE + 1, before || null, filter);
    const entries = found.slice(0, PER_PAGE);
    const chosen = new URLSearchParams({ q: filter.text, subject: filter.subject }).toString();
    const filtered = filter.text !== '' || filter.subject !== '';
    return (
      <Page title={t('nav.audit')} help={t('audit.help')}>
        <ListSearch at={AT} text={filter.text} label={t('audit.search')} updates="audit">
          <Select
            name="subject"
            aria-label={t('audit.subject')}
            chosen={filter.subject}
            options={[
              { value: '', label: t('audit.allSubjects') },
              ...SUBJECTS.map((value) => ({ value, label: t(`audit.of.${value}`) })),
            ]}
          />
        </ListSearch>
        <div id="audit">
          <p>
            <Link to={`${AT}/export?${chosen}`}>
              {t(filtered ? 'audit.downloadThese' : 'audit.download')}
            </Link>
          </p>
          <AuditTable
            entries={entries}
            empty={
              filtered ? (
                <EmptyState title={t('audit.noMatch')} />
              ) : (
                <EmptyState title={t('audit.none')} text={t('audit.noneText')} />
              )
            }
          />
          <NewestFirst
            newest={before ? `${AT}?${chosen}` : undefined}
            older={
              found.length > PER_PAGE ? `${AT}?${chosen}&before=${entries.at(-1)?.id}` : undefined
            }
          />
        </div>
      </Page>
    );
  }

  @Get('export')
  export(@Asked() { query }: PageRequest): StreamableFile {
    return new StreamableFile(Readable.from(this.audit.lines(filterIn(query))), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: 'attachment; filename="audit.ndjson"',
    });
  }
}

const filterIn = (query: PageRequest['query']) => ({
  text: firstCodePoints(query('q').trim(), LONGEST_SEARCH),
  subject: SUBJECTS.find((it) => it === query('subject')) ?? '',
});

/** The subjects that entries are filtered by. */
const SUBJECTS = [
  'sign-in',
  'account',
  'key',
  'quiz',
  'webhook',
  'topic',
  'category',
  'leaderboard',
  'service',
] as const;
