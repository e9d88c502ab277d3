import { Controller, Get } from '@nestjs/common';
import { DiscoveryService } from './discovery.service';

/** Specification 4.1 and 4.2: open to everybody. */
@Controller()
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  @Get('metadata')
  async metadata() {
    return { success: true, data: await this.discovery.metadata() };
  }

  @Get('categories')
  async categories() {
    return { success: true, data: await this.discovery.topics() };
  }
}
