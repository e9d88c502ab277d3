import { Controller, Get, Header } from '@nestjs/common';
import { JsonOnly } from '../../platform/http/server/json-response.guard';
import { SendsJsonText, successBody } from '../../platform/http/server/text-response';
import { Endpoint, Sends } from '../../platform/openapi/endpoint';
import { DiscoveryService } from './discovery.service';
import { Metadata, Topic } from '../resources';

/** The same for everybody. With the seconds that the service keeps it itself, well below the contract's 60. */
const OPEN = 'public, max-age=30';

/** Specification 4.1 and 4.2: open to everybody. */
@Controller()
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  @Endpoint(
    'Discovery',
    'getMetadata',
    'Get the metadata',
    'Difficulties, question types, the categories and tags in use, and totals. Counts what everybody may see; at most a minute old.',
  )
  @Sends('The metadata.', Metadata)
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @SendsJsonText()
  @Get('metadata')
  async metadata(): Promise<string> {
    return successBody(await this.discovery.metadataJson());
  }

  @Endpoint(
    'Discovery',
    'listCategories',
    'List topics and categories',
    'Every topic with its categories. At most a minute old.',
  )
  @Sends('The topics.', { listOf: Topic, description: 'The topics.' })
  @JsonOnly()
  @Header('Cache-Control', OPEN)
  @SendsJsonText()
  @Get('categories')
  async categories(): Promise<string> {
    return successBody(await this.discovery.topicsJson());
  }
}
