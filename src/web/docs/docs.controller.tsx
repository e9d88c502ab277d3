import { Get, Header, Param } from '@nestjs/common';
import { NotFound } from '../../platform/errors/domain-errors';
import { ApiDocument } from '../../platform/openapi/api-document';
import { ConstantText, JSON_TYPE } from '../../platform/http/server/text-response';
import { ConstantPage, type PageResult } from '../http/page-results';
import { OpenPages } from '../http/page-controller';
import { guides, readVectors, VECTORS } from './guides';
import { GuidePage, OverviewPage, SectionPage } from './pages';
import { Reference } from './reference.model';
import { searchIndex } from './search-index';

/** The documentation, open to everybody: guides from docs/, and the reference from the OpenAPI document. */
@OpenPages('docs')
export class DocsController {
  private made?: Reference;
  private vectorsFile?: ConstantText;
  private index?: ConstantText;

  constructor(private readonly api: ApiDocument) {}

  @Get()
  overview(): PageResult {
    return new ConstantPage(() => <OverviewPage reference={this.reference} />);
  }

  @Get('guides/:slug')
  guide(@Param('slug') slug: string): PageResult {
    const guide = guides().find((it) => it.slug === slug);
    if (!guide) throw new NotFound('Guide');
    return new ConstantPage(() => <GuidePage guide={guide} reference={this.reference} />);
  }

  @Get('reference/:slug')
  section(@Param('slug') slug: string): PageResult {
    const section = this.reference.sections.find((it) => it.slug === slug);
    if (!section) throw new NotFound('Page');
    return new ConstantPage(() => <SectionPage section={section} reference={this.reference} />);
  }

  /** The file of test vectors that the guides link to. */
  @Get(VECTORS)
  @Header('Cache-Control', 'public, max-age=60')
  vectors(): ConstantText {
    return (this.vectorsFile ??= new ConstantText(JSON_TYPE, readVectors()));
  }

  /** What the search box of the pages searches in. */
  @Get('search.json')
  @Header('Cache-Control', 'public, max-age=60')
  search(): ConstantText {
    return (this.index ??= new ConstantText(
      JSON_TYPE,
      JSON.stringify(searchIndex(this.reference)),
    ));
  }

  private get reference(): Reference {
    return (this.made ??= new Reference(this.api.document));
  }
}
