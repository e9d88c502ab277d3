import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { JsonAnswerGuard } from '../platform/http/json-answer.guard';
import { Documented } from '../platform/openapi/operation';
import { GET_METADATA, LIST_CATEGORIES } from './catalog.openapi';
import { DiscoveryService } from './discovery.service';

/** The same for everybody. With the seconds that the service keeps it itself, well below the contract's 60. */
const OPEN = 'public, max-age=30';

/** Specification 4.1 and 4.2: open to everybody. */
@Controller()
@UseGuards(JsonAnswerGuard)
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  @Header('Cache-Control', OPEN)
  @Documented(GET_METADATA)
  @Get('metadata')
  async metadata() {
    return { success: true, data: await this.discovery.metadata() };
  }

  @Header('Cache-Control', OPEN)
  @Documented(LIST_CATEGORIES)
  @Get('categories')
  async categories() {
    return { success: true, data: await this.discovery.topics() };
  }
}
