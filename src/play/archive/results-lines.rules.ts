import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_TYPES,
  type QuestionType,
} from '../../catalog/vocabulary';
import { DAY } from '../../platform/durations';
import { LIMITS } from '../../platform/limits/limits';
import { MEBIBYTE } from '../../platform/sizes';
import { isId } from '../../platform/text/ids';
import { timeOf } from '../../platform/text/instant.rules';
import { canonicalLanguage } from '../../platform/text/language.rules';
import { isStorable } from '../../platform/text/text.rules';
import { hasInvisible, onOneLine, RESERVED, shownName, tidyName } from '../attempts/visitor.rules';
import { FLAG_KINDS, type FlagKind } from '../results/item-analysis.rules';
import { REPORT_REASONS } from '../results/reports.rules';

/**
 * The results of a quiz in the archive of an account: one JSON object a line, without the ids of this deployment.
 * Questions are numbered as in the quiz, and those that it does not have any more after them; so are their answers.
 * What players read is a version of a question; attempts and sums name versions by the number of their line among them.
 */
export interface ResultKinds {
  version: ArchivedVersion;
  attempt: ArchivedAttempt;
  score: ArchivedScore;
  sum: ArchivedSum;
  player: ArchivedPlayer;
  report: ArchivedReport;
  flag: ArchivedFlag;
}

export type ResultLine = {
  [Kind in keyof ResultKinds]: Record<Kind, ResultKinds[Kind]>;
}[keyof ResultKinds];

export interface ArchivedVersion {
  question: number;
  text: string;
  type: QuestionType;
  difficulty: Difficulty;
  explanation: string | null;
  answers: { answer: number; text: string; isCorrect: boolean }[];
  acceptTypos?: true;
  /** Absent: plain. */
  format?: 'markdown';
  /** Absent: not said. */
  language?: string;
}

/** A submitted attempt. */
export interface ArchivedAttempt {
  id: string;
  player: string;
  shuffle: boolean;
  reveal: boolean;
  questionsPerAttempt: number | null;
  startedAt: string;
  endsAt: string | null;
  submittedAt: string;
  /** Seconds. */
  timeSpent: number;
  counted: boolean;
  /** The versions that it asked, in the author's order. */
  versions: number[];
  /** `version`: the place in `versions`, from 1; `answers`: numbers as in the version. */
  given: { version: number; answers: number[] | null; text: string | null; correct: boolean }[];
}

export interface ArchivedScore {
  total: number;
  score: number;
  attempts: number;
  seconds: number;
}

/** How many attempts have answered a version in one way: see `question_results`. */
export interface ArchivedSum {
  version: number;
  chosen: string;
  rest: number;
  correct: boolean;
  attempts: number;
}

/** A row of the leaderboard. */
export interface ArchivedPlayer {
  player: string;
  score: number;
  timeSpent: number;
  reachedAt: string;
  attempt: string;
  questionsPerAttempt: number;
  hiddenAt: string | null;
}

/** What a player has reported about a question. */
export interface ArchivedReport {
  question: number;
  reporter: string;
  reason: string;
  text: string;
  createdAt: string;
  closedAt: string | null;
}

export interface ArchivedFlag {
  question: number;
  kind: FlagKind;
}

/** A line that no export has written. */
export class ResultLineError extends Error {}

const { snapshots } = LIMITS.storage;
const {
  questionsPerQuiz,
  questionText,
  explanationText,
  answerText,
  answersPerQuestion,
  playerId,
  reportCharacters,
} = LIMITS.content;
/** What versions of one quiz may take up in memory while its results are read. */
const MOST_CHARACTERS = 64 * MEBIBYTE;

/** Reads lines in their order, and compares them with those before. It keeps the versions. */
export class ResultLineReader {
  readonly versions: ArchivedVersion[] = [];
  private characters = 0;

  /** @param now by the clock of this deployment */
  constructor(private readonly now = new Date()) {}

  /** @throws ResultLineError */
  read(value: unknown): ResultLine {
    const [[kind, body] = ['', null], ...more] = Object.entries(objectOf(value, 'the line'));
    if (more.length > 0 || !Object.hasOwn(this.readers, kind))
      throw new ResultLineError('it is of no known kind');
    return this.readers[kind as keyof typeof this.readers](objectOf(body, kind));
  }

  private readonly readers = {
    version: (it: Members): ResultLine => {
      const version = versionOf(it);
      this.characters += JSON.stringify(version).length;
      if (this.characters > Math.min(MOST_CHARACTERS, snapshots.value))
        throw new ResultLineError('the quiz has more versions of its questions than can be read');
      this.versions.push(version);
      return { version };
    },
    attempt: (it: Members): ResultLine => ({ attempt: this.attemptOf(it) }),
    score: (it: Members): ResultLine => {
      const total = whole(it, 'total', 1, questionsPerQuiz.value);
      const score = whole(it, 'score', 0, total);
      return {
        score: {
          total,
          score,
          attempts: count(it, 'attempts'),
          // Of all these attempts together.
          seconds: whole(it, 'seconds', 0, Number.MAX_SAFE_INTEGER),
        },
      };
    },
    sum: (it: Members): ResultLine => {
      const version = this.numberOfVersion(it.version);
      const chosen = text(it, 'chosen', 400);
      if (!/^(?:\d{1,2}(?:,\d{1,2})*|right|wrong)?$/.test(chosen)) throw invalid('chosen');
      const rest = whole(it, 'rest', 0, questionsPerQuiz.value);
      return {
        sum: {
          version,
          chosen,
          rest,
          correct: flag(it, 'correct'),
          attempts: count(it, 'attempts'),
        },
      };
    },
    player: (it: Members): ResultLine => ({
      player: {
        player: name(it),
        score: whole(it, 'score', 0, questionsPerQuiz.value),
        timeSpent: seconds(it, 'timeSpent'),
        reachedAt: this.past(it, 'reachedAt'),
        attempt: id(it, 'attempt'),
        questionsPerAttempt: whole(it, 'questionsPerAttempt', 0, questionsPerQuiz.value),
        hiddenAt: this.optionalPast(it, 'hiddenAt'),
      },
    }),
    report: (it: Members): ResultLine => ({
      report: {
        question: questionNumber(it),
        reporter: text(it, 'reporter', playerId.value, 1),
        reason: oneOf(it, 'reason', Object.keys(REPORT_REASONS)),
        text: text(it, 'text', reportCharacters.value),
        createdAt: this.past(it, 'createdAt'),
        closedAt: this.optionalPast(it, 'closedAt'),
      },
    }),
    flag: (it: Members): ResultLine => ({
      flag: { question: questionNumber(it), kind: oneOf(it, 'kind', FLAG_KINDS) },
    }),
  };

  private attemptOf(it: Members): ArchivedAttempt {
    const versions = list(it, 'versions', questionsPerQuiz.value).map((n) =>
      this.numberOfVersion(n),
    );
    const questions = versions.map((version) => this.versions[version - 1]!.question);
    if (versions.length === 0 || new Set(questions).size < questions.length)
      throw invalid('versions');
    const given = list(it, 'given', versions.length).map((answer) =>
      this.givenOf(objectOf(answer, 'given'), versions),
    );
    if (new Set(given.map(({ version }) => version)).size < given.length) throw invalid('given');
    const startedAt = this.past(it, 'startedAt');
    const submittedAt = this.past(it, 'submittedAt');
    if (submittedAt < startedAt) throw invalid('submittedAt');
    return {
      id: id(it, 'id'),
      player: name(it),
      shuffle: flag(it, 'shuffle'),
      reveal: flag(it, 'reveal'),
      questionsPerAttempt:
        it.questionsPerAttempt === null
          ? null
          : whole(it, 'questionsPerAttempt', 1, questionsPerQuiz.value),
      startedAt,
      endsAt: optionalTime(it, 'endsAt'),
      submittedAt,
      timeSpent: seconds(it, 'timeSpent'),
      counted: flag(it, 'counted'),
      versions,
      given,
    };
  }

  private givenOf(it: Members, versions: readonly number[]): ArchivedAttempt['given'][number] {
    const place = whole(it, 'version', 1, versions.length);
    const known = this.versions[versions[place - 1]! - 1]!.answers.map(({ answer }) => answer);
    const answers =
      it.answers === null
        ? null
        : list(it, 'answers', known.length).map((answer) => {
            if (!known.includes(answer as number)) throw invalid('answers');
            return answer as number;
          });
    const typed = it.text === null ? null : text(it, 'text', answerText.value);
    if ((answers === null) === (typed === null)) throw invalid('given');
    return { version: place, answers, text: typed, correct: flag(it, 'correct') };
  }

  /** Results of the future would never be too old to keep. */
  private past(it: Members, member: string): string {
    const value = time(it, member);
    if (isFuture(new Date(value), this.now))
      throw new ResultLineError(`${member} is in the future`);
    return value;
  }

  private optionalPast = (it: Members, member: string) =>
    it[member] === null ? null : this.past(it, member);

  private numberOfVersion(value: unknown): number {
    if (!isWhole(value, 1, this.versions.length)) throw invalid('version');
    return value;
  }
}

function versionOf(it: Members): ArchivedVersion {
  const answers = list(it, 'answers', answersPerQuestion.value).map((each) => {
    const answer = objectOf(each, 'answers');
    return {
      answer: whole(answer, 'answer', 1, 1_000_000),
      text: text(answer, 'text', answerText.value, 1),
      isCorrect: flag(answer, 'isCorrect'),
    };
  });
  if (new Set(answers.map(({ answer }) => answer)).size < answers.length) throw invalid('answers');
  return {
    question: questionNumber(it),
    text: text(it, 'text', questionText.value, 1),
    type: oneOf(it, 'type', QUESTION_TYPES),
    difficulty: oneOf(it, 'difficulty', DIFFICULTIES),
    explanation: it.explanation === null ? null : text(it, 'explanation', explanationText.value),
    answers,
    ...(it.acceptTypos === true && { acceptTypos: true }),
    ...(it.format !== undefined && { format: oneOf(it, 'format', ['markdown'] as const) }),
    ...(it.language !== undefined && { language: languageIn(it) }),
  };
}

function languageIn({ language }: Members): string {
  const tag = typeof language === 'string' ? canonicalLanguage(language) : null;
  if (tag === null) throw invalid('language');
  return tag;
}

type Members = Readonly<Record<string, unknown>>;

const invalid = (member: string) => new ResultLineError(`${member} is invalid`);

function objectOf(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ResultLineError(`${what} is not an object`);
  return value as Members;
}

function list(it: Members, member: string, most: number): unknown[] {
  const value = it[member];
  if (!Array.isArray(value) || value.length > most) throw invalid(member);
  return value as unknown[];
}

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

function whole(it: Members, member: string, least: number, most: number): number {
  const value = it[member];
  if (!isWhole(value, least, most)) throw invalid(member);
  return value;
}

const LARGEST_INT = 2_147_483_647;
const count = (it: Members, member: string) => whole(it, member, 1, LARGEST_INT);
const seconds = (it: Members, member: string) => whole(it, member, 0, LARGEST_INT);
const questionNumber = (it: Members) => whole(it, 'question', 1, 1_000_000);

function flag(it: Members, member: string): boolean {
  const value = it[member];
  if (typeof value !== 'boolean') throw invalid(member);
  return value;
}

function text(it: Members, member: string, most: number, least = 0): string {
  const value = it[member];
  if (typeof value !== 'string' || !isStorable(value)) throw invalid(member);
  const { length } = [...value.slice(0, 2 * most + 2)];
  if (length > most || length < least) throw invalid(member);
  return value;
}

/** What two deployments may differ by. */
const CLOCKS_APART = DAY;

/** Whether a time of an archive is later than an export can have written. */
export const isFuture = (time: Date, now = new Date()): boolean =>
  time.getTime() > now.getTime() + CLOCKS_APART;

/** As an attempt takes the players of apps, or as the player's page stores those of visitors. */
function name(it: Members): string {
  const player = text(it, 'player', playerId.value, 1);
  const shown = shownName(player);
  const isStored = shown === player ? isPlayerOfApp(player) : tidyName(shown) === shown;
  if (!isStored) throw invalid('player');
  return player;
}

const isPlayerOfApp = (player: string): boolean =>
  !player.toLowerCase().startsWith(RESERVED) &&
  !hasInvisible(player) &&
  onOneLine(player) === player;

function id(it: Members, member: string): string {
  const value = text(it, member, 36);
  if (!isId(value)) throw invalid(member);
  return value;
}

/** Of this century: PostgreSQL knows fewer times than JavaScript. */
function time(it: Members, member: string): string {
  const value = text(it, member, 40);
  const instant = timeOf(value);
  const year = instant?.getUTCFullYear() ?? 0;
  if (!instant || year < 2000 || year >= 2100) throw invalid(member);
  return instant.toISOString();
}

const optionalTime = (it: Members, member: string) =>
  it[member] === null ? null : time(it, member);

function oneOf<T extends string>(it: Members, member: string, values: readonly T[]): T {
  const value = values.find((each) => each === it[member]);
  if (value === undefined) throw invalid(member);
  return value;
}
