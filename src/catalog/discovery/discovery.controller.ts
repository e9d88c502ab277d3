import { Controller, Get, Header, Query, UseInterceptors } from '@nestjs/common';
import { JsonOnly } from '../../platform/http/request/json-only.guard';
import { Endpoints, Sends } from '../../platform/openapi/endpoint';
import { ReadCacheInterceptor } from '../read-cache.interceptor';
import { Metadata, MetadataQuery, TopicWithCategories } from './discovery.dto';
import { DiscoveryService } from './discovery.service';

/**
 * The same for everybody. Together with the service's own caching, these seconds stay well below the contract's 60.
 */
const OPEN = 'public, max-age=30';

/** What there is (specification 4.1 and 4.2). */
@UseInterceptors(ReadCacheInterceptor)
@Endpoints('Discovery')
@Controller()
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * Get the metadata
   * @remarks Difficulties, question types, the categories and tags in use, and totals. Counts public content; at most a
   * minute old.
   * @returns The metadata.
   */
  @Sends(Metadata)
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('metadata')
  async getMetadata(@Query() { include }: MetadataQuery) {
    const data = await this.discovery.metadata();
    if (!include.includes('languages')) return { success: true, data };
    return { success: true, data: { ...data, languages: await this.discovery.languages() } };
  }

  /**
   * List topics and categories
   * @remarks Every topic with its categories. At most a minute old.
   * @returns The topics.
   */
  @Sends([TopicWithCategories])
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @Get('categories')
  async listCategories() {
    return { success: true, data: await this.discovery.topics() };
  }
}
