import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountsService } from '../access/accounts/accounts.service';
import { CATALOGUE_ACCOUNT } from '../access/accounts/built-in-accounts';
import { BatchImportService } from '../authoring/questions/batch-import.service';
import { BatchImportRequest } from '../authoring/questions/questions.dto';
import { QuizAuthoringService } from '../authoring/quizzes/quiz-authoring.service';
import { CreateQuizRequest } from '../authoring/quizzes/quizzes.dto';
import { TaxonomyService } from '../authoring/taxonomy/taxonomy.service';
import type { Difficulty, QuestionType } from '../catalog/vocabulary';
import { readBody } from '../platform/http/request/validation.pipe';

/** One file of `catalogue/`: a topic, its categories, and example quizzes. */
export interface StarterTopic {
  topic: { name: string; slug: string; icon: string };
  categories: { name: string; slug: string }[];
  quizzes: StarterQuiz[];
}

interface StarterQuiz {
  title: string;
  description: string;
  category: string;
  difficulty: Difficulty;
  tags: string[];
  questions: {
    text: string;
    type: QuestionType;
    difficulty: Difficulty;
    explanation: string;
    answers: { text: string; isCorrect: boolean }[];
  }[];
}

/** In the order in which the topics are shown. */
const FILES =
  'science nature geography history literature art music screen sports food technology mathematics';

export const readStarterCatalogue = (): StarterTopic[] =>
  FILES.split(' ').map((name) => {
    const file = join(__dirname, 'catalogue', `${name}.json`);
    return JSON.parse(readFileSync(file, 'utf8')) as StarterTopic;
  });

/** Fills a new service with topics, categories and quizzes, so that there is something to see. */
@Injectable()
export class SeedService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly taxonomy: TaxonomyService,
    private readonly quizzes: QuizAuthoringService,
    private readonly batches: BatchImportService,
  ) {}

  /**
   * All in one transaction: a start that is killed leaves nothing behind, and of two concurrent starts the second
   * finds the topics of the first.
   * @returns how many quizzes and questions were added; null if there are topics already
   */
  async fill(): Promise<{ quizzes: number; questions: number } | null> {
    const owner = await this.accounts.findOrCreateBuiltIn({
      email: CATALOGUE_ACCOUNT,
      plan: 'free',
      isAdmin: true,
    });
    return this.database.transaction(async (tx) => {
      const actor = { accountId: owner.id };
      await this.accounts.lock(tx, owner.id);
      if (await this.taxonomy.exists(tx)) return null;
      const added = { quizzes: 0, questions: 0 };
      const topics = readStarterCatalogue();
      for (const [position, { topic, categories }] of topics.entries())
        await this.taxonomy.seed(tx, { ...topic, position }, categories);
      for (const { questions, ...about } of quizzesInTurn(topics)) {
        const request = readBody(CreateQuizRequest, { ...about, published: true });
        const quiz = await this.quizzes.createIn(tx, actor, request);
        const batch = readBody(BatchImportRequest, { questions });
        await this.batches.importIn(tx, actor, quiz.id, batch.questions);
        added.quizzes += 1;
        added.questions += questions.length;
      }
      return added;
    });
  }
}

/** The quizzes of all topics in turn, the first ones last: lists begin with the newest, so they show different topics. */
function quizzesInTurn(topics: readonly StarterTopic[]): StarterQuiz[] {
  const most = Math.max(...topics.map(({ quizzes }) => quizzes.length));
  const inTurn = Array.from({ length: most }, (_, place) =>
    topics.flatMap(({ quizzes }) => quizzes.slice(place, place + 1)),
  );
  return inTurn.flat().reverse();
}
