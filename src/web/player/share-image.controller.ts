import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { DiscoveryService } from '../../catalog/discovery/discovery.service';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { categoryLooks, topicLook } from '../components/topic-look';
import { shareImage } from './share-image';

/** The picture of a public quiz, for sites on which its URL is shared (og:image). */
@OfPlayers('pages')
@Controller('covers')
export class ShareImageController {
  constructor(
    private readonly play: VisitorPlayService,
    private readonly discovery: DiscoveryService,
  ) {}

  @Header('Cache-Control', 'public, max-age=86400')
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @Get(':slug.png')
  async image(@Param('slug') slug: string): Promise<StreamableFile> {
    const { category } = await this.play.open({ slug });
    const looks = categoryLooks(await this.discovery.topics());
    const look = looks.get(category ?? '') ?? topicLook(slug);
    return new StreamableFile(await shareImage(slug, look), { type: 'image/png' });
  }
}
