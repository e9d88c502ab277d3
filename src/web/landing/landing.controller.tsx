import { Get } from '@nestjs/common';
import { DiscoveryService } from '../../catalog/discovery/discovery.service';
import { Config } from '../../platform/config/config';
import { ConstantPage, type PageResult } from '../http/page-results';
import { OpenPages } from '../http/page-controller';
import { LandingPage } from './landing.page';

/** The front door. */
@OpenPages()
export class LandingController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: Config,
  ) {}

  @Get()
  async show(): Promise<PageResult> {
    // Each is read again after a few seconds, and is the same object until then.
    const shown = await Promise.all([
      this.discovery.metadata(),
      this.discovery.topics(),
      this.discovery.popular(),
    ]);
    const [{ stats }, topics, popular] = shown;
    const { signUp } = this.config;
    return new ConstantPage(() => <LandingPage {...{ stats, topics, popular, signUp }} />, shown);
  }
}
