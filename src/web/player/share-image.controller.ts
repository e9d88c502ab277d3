import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { DiscoveryService } from '../../catalog/discovery/discovery.service';
import { BoundedCache } from '../../platform/bounded-cache';
import { NotFound } from '../../platform/errors/domain-errors';
import { OfPlayers } from '../../platform/hardening/turns.interceptor';
import { LIMITS } from '../../platform/limits/limits';
import { VisitorPlayService } from '../../play/visitors/visitor-play.service';
import { quizLook, type TopicLook } from '../components/topic-look';
import { shareImage } from './share-image';

/** The picture of a public quiz, for sites on which its URL is shared (og:image). */
@OfPlayers('pages')
@Controller('covers')
export class ShareImageController {
  private readonly drawn = new BoundedCache<Buffer>(LIMITS.requests.shareImagesInMemory.value);

  constructor(
    private readonly play: VisitorPlayService,
    private readonly discovery: DiscoveryService,
  ) {}

  @Header('Cache-Control', 'public, max-age=86400')
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @Get(':slug.png')
  async image(@Param('slug') slug: string): Promise<StreamableFile> {
    const { category, via } = await this.play.open({ slug });
    // Only players of an unlisted link may learn its quiz, and caches may keep the picture.
    if (via !== 'public') throw new NotFound('Quiz');
    const look = quizLook({ slug, category }, await this.discovery.topics());
    return new StreamableFile(await this.draw(slug, look), { type: 'image/png' });
  }

  private async draw(slug: string, look: TopicLook): Promise<Buffer> {
    const key = `${slug} ${look.hue} ${look.icon}`;
    const known = this.drawn.get(key);
    if (known) return known;
    const image = await shareImage(slug, look);
    this.drawn.set(key, image, image.length);
    return image;
  }
}
