import { Get, Header, Param } from '@nestjs/common';
import { NotFound } from '../../platform/errors/domain-errors';
import { ApiDocument } from '../../platform/openapi/api-document';
import { ConstantText } from '../../platform/http/server/text-response';
import { ConstantPage, type PageResult } from '../http/page-results';
import { OpenPages } from '../http/page-controller';
import { findGuide, readVectors, VECTORS } from './guides';
import { GuidePage, OverviewPage, SectionPage } from './pages';
import { Reference } from './reference.model';

/** The documentation, open to everybody: guides from docs/, and the reference from the OpenAPI document. */
@OpenPages('docs')
export class DocsController {
  private made?: Reference;
  private vectorsFile?: ConstantText;

  constructor(private readonly api: ApiDocument) {}

  @Get()
  overview(): PageResult {
    return new ConstantPage(() => <OverviewPage reference={this.reference} />);
  }

  @Get('guides/:slug')
  guide(@Param('slug') slug: string): PageResult {
    const guide = findGuide(slug);
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
    return (this.vectorsFile ??= new ConstantText(
      'application/json; charset=utf-8',
      readVectors(),
    ));
  }

  private get reference(): Reference {
    return (this.made ??= new Reference(this.api.document));
  }
}
