import { positionsOf } from './item-analysis.rules';

/** How many players chose these answers, with this score on the other questions. */
export interface ChoiceCell {
  /** As in ChoiceSums. */
  chosen: string;
  rest: number;
  attempts: number;
}

/** A key that may be wrong: players chose another answer, as they choose a correct one. */
export interface DoubtedKey {
  /** The position of that answer. */
  position: number;
  /** How many players chose it, and how many the answers that are marked correct. */
  chosen: number;
  keyed: number;
}

/** With fewer players, one of them decides. */
export const FEWEST_PLAYERS = 5;
/** As many must have chosen the other answer. */
const FEWEST_CHOICES = 3;

/** Before anybody has played, one key in twenty is wrong: the answers must make it more likely than not. */
const THRESHOLD = Math.log(20);

/** A typical question: in the middle of these difficulties half of the players know the answer. */
const SLOPE = 1.7;
const DIFFICULTIES = Array.from({ length: 11 }, (_, index) => index / 2 - 2.5);
/** Authors write questions that 60 % of their players know. */
const EXPECTED_DIFFICULTY = -0.5;
/** How equal the wrong answers of a question usually are: the parameter of a Dirichlet distribution. */
const EVENNESS = 3;
/** In standard deviations from the mean: one player who finishes a quiz that a thousand left would decide alone otherwise. */
const GREATEST_ABILITY = 4;

/**
 * Whether another answer than the marked one is probably the correct one. Compares how likely the choices are if one
 * or the other is correct: the better players are at the other questions, the more of them choose the correct answer,
 * and the rest spread over the wrong ones. So a hard question whose wrong answer attracts most players stays
 * undoubted as long as the good ones choose the marked answer. check-key.rules.spec.ts shows how many wrong keys this
 * finds, and how few sound questions it doubts.
 * @param keyed the positions of the marked answers, as ChoiceSums has them
 * @param answers how many the question has
 * @param others how many other questions the quiz has
 */
export function checkKey(
  cells: readonly ChoiceCell[],
  { keyed, answers, others }: { keyed: string; answers: number; others: number },
): DoubtedKey | null {
  const given = cells.filter(({ chosen }) => positionsOf(chosen).length > 0);
  const counts = new Map<string, number>();
  for (const { chosen, attempts } of given)
    counts.set(chosen, (counts.get(chosen) ?? 0) + attempts);
  const countOf = (chosen: string) => counts.get(chosen) ?? 0;
  if (sumOf([...counts.values()]) < FEWEST_PLAYERS) return null;
  const marked = positionsOf(keyed);
  // Where several answers may be chosen there are more choices than answers. The marked one is among them, chosen or not.
  const choices = Math.max(answers, counts.size + (counts.has(keyed) ? 0 : 1));
  const likelihood = likelihoodOf(given, counts, choices, others);
  const [best] = [...counts.keys()]
    .filter((chosen) => chosen !== keyed && countOf(chosen) >= FEWEST_CHOICES)
    .flatMap((chosen) => {
      const position = positionsOf(chosen).find((each) => !marked.includes(each));
      return position === undefined ? [] : { chosen, position, likelihood: likelihood(chosen) };
    })
    .sort((a, b) => b.likelihood - a.likelihood);
  if (!best || best.likelihood - likelihood(keyed) < THRESHOLD) return null;
  return { position: best.position, chosen: countOf(best.chosen), keyed: countOf(keyed) };
}

/** @returns the logarithm of how likely the choices are if this one is correct */
function likelihoodOf(
  cells: readonly ChoiceCell[],
  counts: ReadonlyMap<string, number>,
  choices: number,
  others: number,
): (correct: string) => number {
  const { abilityOf, slope } = abilities(cells, others);
  // What all would have missed, and what those who chose the answer knew: some questions have thousands of choices.
  const cellsOf = new Map<string, ChoiceCell[]>();
  for (const cell of cells) {
    const own = cellsOf.get(cell.chosen);
    if (own) own.push(cell);
    else cellsOf.set(cell.chosen, [cell]);
  }
  const curves = DIFFICULTIES.map((difficulty) => {
    const logOdds = (rest: number) => slope * (abilityOf(rest) - difficulty);
    return {
      prior: -((difficulty - EXPECTED_DIFFICULTY) ** 2) / 2,
      logOdds,
      missed: -sumOf(
        cells.map(({ rest, attempts }) => attempts * Math.log(1 + Math.exp(logOdds(rest)))),
      ),
    };
  });
  const total = sumOf([...counts.values()]);
  const spreadOf = (count: number) => logGamma(EVENNESS + count) - logGamma(EVENNESS);
  const spread = sumOf([...counts.values()].map(spreadOf));
  return (correct) => {
    const own = cellsOf.get(correct) ?? [];
    const fits = curves.map(
      ({ prior, logOdds, missed }) =>
        prior + missed + sumOf(own.map(({ rest, attempts }) => attempts * logOdds(rest))),
    );
    const best = Math.max(...fits);
    const count = counts.get(correct) ?? 0;
    const all = EVENNESS * (choices - 1);
    return (
      best +
      Math.log(sumOf(fits.map((fit) => Math.exp(fit - best)))) +
      logGamma(all) -
      logGamma(all + total - count) +
      (spread - spreadOf(count))
    );
  };
}

/** What the scores on the other questions tell of the players' abilities, which are normally distributed. */
function abilities(cells: readonly ChoiceCell[], others: number) {
  const players = sumOf(cells.map(({ attempts }) => attempts));
  const mean = sumOf(cells.map(({ attempts, rest }) => attempts * rest)) / players;
  const variance =
    sumOf(cells.map(({ attempts, rest }) => attempts * (rest - mean) ** 2)) / (players - 1);
  // A quiz of one question, or players who are all alike, tell nothing.
  if (variance === 0 || others === 0) return { abilityOf: () => 0, slope: SLOPE };
  const chance = mean * Math.max(0, 1 - mean / others);
  const reliability = Math.min(0.9, Math.max(0.2, 1 - chance / variance));
  return {
    abilityOf: (rest: number) => {
      const ability = Math.sqrt(reliability / variance) * (rest - mean);
      return Math.max(-GREATEST_ABILITY, Math.min(GREATEST_ABILITY, ability));
    },
    // The less is known of the ability, the flatter the curve.
    slope: SLOPE / Math.sqrt(1 + 0.35 * SLOPE ** 2 * (1 - reliability)),
  };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** The logarithm of (n - 1)!, by Stirling's series where it is exact enough. */
function logGamma(n: number): number {
  if (n < 10) return n <= 2 ? 0 : Math.log(n - 1) + logGamma(n - 1);
  return (n - 0.5) * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * n);
}
