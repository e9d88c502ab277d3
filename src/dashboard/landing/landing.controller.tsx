import { Get } from '@nestjs/common';
import { DiscoveryService } from '../../catalog/discovery.service';
import { Config } from '../../platform/config/config';
import type { Answer } from '../web/answers';
import { OpenPages } from '../web/page-controller';
import { LandingPage } from './landing.page';

/** The front door. */
@OpenPages()
export class LandingController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: Config,
  ) {}

  @Get()
  async show(): Promise<Answer> {
    const [{ stats }, topics, popular] = await Promise.all([
      this.discovery.metadata(),
      this.discovery.topics(),
      this.discovery.popular(),
    ]);
    return <LandingPage {...{ stats, topics, popular }} signUp={this.config.signUp} />;
  }
}
