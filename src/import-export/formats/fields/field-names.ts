/**
 * What files call the parts of a question: the one vocabulary of CSV columns and JSON members. Case, spaces and
 * punctuation do not matter.
 */
export type Field =
  | 'text'
  | 'type'
  | 'difficulty'
  | 'explanation'
  | 'source'
  | 'licence'
  | 'quizTitle'
  | 'quizDescription'
  | 'quizCategory'
  | 'quizDifficulty'
  | 'quizTags'
  | MultiField;

/**
 * Fields that a question may have several of. `option`: one answer, correct or not; `options`: a list of them;
 * `wrong` and `wrongs`: the same of wrong answers; `correct`: the text, number or letter of the correct answer;
 * `numbers`: only its number or letter.
 */
type MultiField = 'option' | 'options' | 'wrong' | 'wrongs' | 'correct' | 'numbers';

const NAMES: Record<Exclude<Field, 'option' | 'wrong'>, readonly string[]> = {
  text: ['question', 'text', 'questiontext', 'prompt', 'stem', 'clue', 'term', 'front', 'q'],
  type: ['type', 'questiontype', 'kind'],
  difficulty: ['difficulty', 'level', 'questiondifficulty'],
  explanation: ['explanation', 'answerexplanation', 'feedback', 'comment', 'rationale'],
  source: ['source'],
  licence: ['licence', 'license'],
  quizTitle: ['quiztitle', 'quiz'],
  quizDescription: ['quizdescription', 'description'],
  quizCategory: ['quizcategory', 'category', 'topic'],
  quizDifficulty: ['quizdifficulty'],
  quizTags: ['quiztags', 'tags'],
  correct: [
    ...['correct', 'correctanswer', 'correctanswers', 'rightanswer', 'answer', 'key', 'answerkey'],
    ...['correctoption', 'correctchoice', 'solution', 'definition', 'back'],
  ],
  numbers: [
    ...['correctnumbers', 'correctnumber', 'correctletters', 'correctletter'],
    ...['correctanswernumber', 'correctindex', 'correctanswerindex', 'answerindex'],
    // Blooket and Kahoot
    ...['correctanswersonlyincludeanswer', 'correctanswerschooseatleastone'],
  ],
  options: ['answers', 'options', 'choices', 'possibleanswers', 'answeroptions', 'answerchoices'],
  wrongs: [
    ...['wronganswers', 'wrongoptions', 'wrongchoices', 'wrongs', 'distractors'],
    ...['incorrectanswers', 'incorrectoptions', 'incorrectchoices'],
  ],
};
const FIELDS = new Map(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.map((name) => [name, field as Field] as const),
  ),
);

const OPTION = /^(?:possible)?(?:answer|option|choice)(?:option|choice)?(?:\d{1,3}|[a-z])$|^[a-j]$/;
const WRONG = /^(?:wrong|incorrect|distractor)(?:answer|option|choice)?(?:\d{1,3}|[a-z])?$/;

/**
 * The field that a name means. What templates add to a name is passed over: `2. Question`,
 * `Question - max 120 characters`, `Answer 3 (Optional)`.
 */
export function fieldOf(name: string): Field | undefined {
  const [start = ''] = name.split(/ [-–—] |[(\r\n]/, 1);
  return (
    known(plainName(name)) ?? known(plainName(start)) ?? known(plainName(start).replace(/^\d+/, ''))
  );
}

/** A name as it is compared. Nobody has longer ones than 200 characters. */
export const plainName = (name: string): string =>
  name
    .slice(0, 200)
    .trim()
    .toLowerCase()
    .replace(/#$/, 'number')
    .replace(/[^\p{L}\p{N}]+/gu, '');

function known(name: string): Field | undefined {
  // The plurals first: "options" is no option S.
  const field = FIELDS.get(name);
  if (field) return field;
  if (OPTION.test(name)) return 'option';
  return WRONG.test(name) ? 'wrong' : undefined;
}
