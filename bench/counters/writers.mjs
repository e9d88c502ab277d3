// Sixteen writers who change whatever counts, until they are killed.
import { DataSource } from 'typeorm';
import { BatchImportService } from '../../dist/authoring/questions/batch-import.service.js';
import { QuizAuthoringService } from '../../dist/authoring/quizzes/quiz-authoring.service.js';
import { ReviewService } from '../../dist/authoring/review/review.service.js';
import { OwnedQuizzesService } from '../../dist/catalog/quizzes/owned-quizzes.service.js';
import { DIFFICULTIES } from '../../dist/catalog/vocabulary.js';
import { DomainError } from '../../dist/platform/errors/domain-errors.js';
import { fiftyQuestions } from '../imports/questions.mjs';
import { openServices } from '../support/services.mjs';

const WRITERS = 16;
const services = await openServices(process.env.DATABASE_URL, {
  QUIZ_QUOTA_PRO: process.env.QUIZ_QUOTA_PRO,
});
const [database, imports, editing, review, owned] = [
  DataSource,
  BatchImportService,
  QuizAuthoringService,
  ReviewService,
  OwnedQuizzesService,
].map((service) => services.of(service));
const owners = process.env.OWNERS.split(',').map((accountId) => ({ accountId }));
let number = 0;

const upTo = (n) => Math.floor(Math.random() * n);
const pick = (list) => list[upTo(list.length)];
const create = (owner) => database.transaction((tx) => editing.createIn(tx, owner, quiz()));
const quiz = () => ({
  title: `Quiz ${number++}`,
  difficulty: pick(DIFFICULTIES),
  category: null,
  tags: ['a', 'b', 'c', 'd'].filter(() => upTo(2) === 0),
  published: upTo(2) === 0,
  featured: false,
});

async function act() {
  const owner = pick(owners);
  const mine = await owned.list(owner.accountId, {}, { limit: 50, offset: 0 });
  if (mine.length < 10) return create(owner);
  const { id } = pick(mine);
  const batch = () => imports.import(owner, id, fiftyQuestions(number++).slice(upTo(49)));
  return pick([
    batch,
    batch,
    () => create(owner),
    async () => {
      const { version: expected } = await owned.get(owner.accountId, id);
      return editing.edit(owner, { quizId: id, expected, fields: quiz() });
    },
    () => editing.publish(owner, id),
    () => editing.unpublish(owner, id),
    () => review.approve(id),
    () => review.approve(id),
    () => review.reject(id, 'No.'),
    () => editing.delete(owner, id),
  ])();
}

async function write() {
  for (;;)
    await act().catch((error) => {
      // What the rules refuse is part of it.
      if (!(error instanceof DomainError)) throw error;
    });
}

for (let writer = 0; writer < WRITERS; writer++) void write();
process.on('disconnect', () => process.exit(0));
process.send('started');
