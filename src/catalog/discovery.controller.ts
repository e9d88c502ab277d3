import { Controller, Get } from '@nestjs/common';
import { Documented } from '../platform/openapi/operation';
import { GET_METADATA, LIST_CATEGORIES } from './catalog.openapi';
import { DiscoveryService } from './discovery.service';

/** Specification 4.1 and 4.2: open to everybody. */
@Controller()
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  @Documented(GET_METADATA)
  @Get('metadata')
  async metadata() {
    return { success: true, data: await this.discovery.metadata() };
  }

  @Documented(LIST_CATEGORIES)
  @Get('categories')
  async categories() {
    return { success: true, data: await this.discovery.topics() };
  }
}
