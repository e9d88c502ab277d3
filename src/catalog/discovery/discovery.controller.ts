import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { JsonAnswerGuard } from '../../platform/http/server/json-response.guard';
import { SendsJsonText, successBody } from '../../platform/http/request/json-text';
import { Documented } from '../../platform/openapi/operation';
import { GET_METADATA, LIST_CATEGORIES } from '../catalog.openapi';
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
  @SendsJsonText()
  @Get('metadata')
  async metadata(): Promise<string> {
    return successBody(await this.discovery.metadataJson());
  }

  @Header('Cache-Control', OPEN)
  @Documented(LIST_CATEGORIES)
  @SendsJsonText()
  @Get('categories')
  async categories(): Promise<string> {
    return successBody(await this.discovery.topicsJson());
  }
}
