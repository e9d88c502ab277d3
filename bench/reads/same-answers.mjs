/**
 * A figure is void where the work was not the same.
 * @throws Error when a contender's first answer to a read is empty, or differs from the floor's
 */
export async function checkAnswers([floor, ...others], read, sample) {
  const expected = await ask(floor, read, sample);
  if (rowsOf(read, JSON.parse(expected)).length === 0)
    throw new Error(`${read}: void, it finds nothing.`);
  for (const other of others) {
    const text = await ask(other, read, sample);
    const same = other.essence
      ? JSON.stringify(other.essence(read, JSON.parse(text))) ===
        JSON.stringify(essence(read, JSON.parse(expected)))
      : text === expected;
    if (!same)
      throw new Error(`${other.name}, ${read}: void, its answer differs.\n${expected}\n\n${text}`);
  }
}

async function ask({ origin, requests }, read, sample) {
  const [{ path, ...request }] = requests(read, sample);
  const response = await fetch(origin + path, request);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${origin}${path}: ${response.status} ${text}`);
  return text;
}

function rowsOf(read, { data }) {
  if (read === 'detail') return data.questions;
  if (read === 'metadata') return data.categories;
  return data;
}

/**
 * What every contender has to answer, in whatever form: which rows in which order. Not the totals: those of peers
 * are without the caller's own private quizzes.
 */
export function essence(read, { data }) {
  if (read !== 'detail') return data.map(({ id }) => id);
  return [data.id, ...data.questions.map(({ id, answers }) => [id, answers.length])];
}
