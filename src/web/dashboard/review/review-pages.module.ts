import { Module } from '@nestjs/common';
import { AccessModule } from '../../../access/access.module';
import { AuthoringModule } from '../../../authoring/authoring.module';
import { ReviewController } from './review.controller';

/** The review, for administrators. */
@Module({ imports: [AccessModule, AuthoringModule], controllers: [ReviewController] })
export class ReviewPagesModule {}
