import type { AnswerInput } from '../../authoring/questions/question.rules';
import { QUESTION_FORMATS, type QuestionType } from '../../catalog/vocabulary';
import { Malformed } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { tidy } from '../../platform/text/text.rules';
import { byAnything, byNumber, type FirstNumber, isTruthWord, truthOf } from './answer-key';
import { difficultyOf, questionTypeOf, rowOf } from './parsed-question';
import {
  type ErrorRow,
  type FilePosition,
  type ParsedRow,
  type QuizOfRow,
  quote,
  sentence,
} from './row';
import { plainWords } from './words';

/**
 * The names that files use for the parts of a question: the one vocabulary of CSV columns and JSON members. Case,
 * accents, spaces and punctuation are ignored. `numbers`: only the numbers or letters of the correct answers.
 */
const NAMES = {
  text: [
    ...['text', 'questiontext', 'prompt', 'stem', 'clue', 'term', 'front', 'q', 'fragen'],
    ...['fragetext', 'fragestellung', 'intitule', 'enunciado', 'questao'],
  ],
  type: ['type', 'questiontype', 'kind'],
  difficulty: [
    ...[
      'difficulty',
      'level',
      'questiondifficulty',
      'schwierigkeit',
      'schwierigkeitsgrad',
      'niveau',
    ],
    ...['difficulte', 'dificultad', 'nivel', 'dificuldade', 'difficolta', 'livello', 'trudnosc'],
    ...['poziom', 'poziomtrudnosci'],
  ],
  format: ['format', 'questionformat', 'textformat'],
  explanation: ['comment'],
  source: ['source', 'quelle', 'fuente', 'fonte'],
  licence: ['licence', 'license', 'lizenz', 'licencia', 'licenca'],
  quizTitle: ['quiztitle', 'quiz'],
  quizDescription: ['quizdescription', 'description'],
  quizCategory: [
    ...['quizcategory', 'category', 'topic', 'kategorie', 'thema', 'categorie', 'theme'],
    ...['categoria', 'tema'],
  ],
  quizDifficulty: ['quizdifficulty'],
  quizTags: ['quiztags', 'tags'],
  quizLanguage: ['quizlanguage'],
  quizTimeLimit: ['quiztimelimit'],
  quizMaxAttempts: ['quizmaxattempts'],
  quizQuestionsPerAttempt: ['quizquestionsperattempt'],
  quizAcceptTypos: ['quizaccepttypos'],
  numbers: [
    ...['correctnumbers', 'correctnumber', 'correctletters', 'correctletter'],
    ...['correctanswernumber', 'correctindex', 'correctanswerindex', 'answerindex'],
    // Blooket and Kahoot
    ...['correctanswersonlyincludeanswer', 'correctanswerschooseatleastone'],
  ],
} satisfies Record<string, readonly string[]>;

const ONE = plainWords('answer', 'option');
const SEVERAL = plainWords('answers', 'options');
const [CORRECT, WRONG] = [plainWords('correct', 'right'), plainWords('wrong')];
/** In English and German, "Answer correct" says whether a player was right. */
const ADJECTIVE_LAST = '(?!answer|option|choice|antwort)';

/**
 * The same as regular expressions: the text, number or letter of a `correct` answer; a list of answers (`options`) or of
 * wrong ones (`wrongs`); one answer, correct or not (`option`), or one that is not (`wrong`). The plurals come first:
 * "options" is no option S.
 */
const PATTERNS = {
  text: plainWords('question'),
  explanation: plainWords('explanation'),
  correct: [
    `${plainWords('correct', 'answer', 'solution', 'solutions')}|answerkey|definition|back`,
    `${CORRECT}(?:${ONE}|${SEVERAL})|${ADJECTIVE_LAST}(?:${ONE}|${SEVERAL})${CORRECT}`,
  ].join('|'),
  options: `(?:possible)?${SEVERAL}|answer(?:options|choices)`,
  wrongs: `wrongs|distractors|${WRONG}${SEVERAL}|${ADJECTIVE_LAST}${SEVERAL}${WRONG}`,
  option: `(?:possible)?${ONE}(?:option|choice)?(?:\\d{1,3}|[a-z])|[a-j]`,
  wrong: `(?:${WRONG}${ONE}?|${ADJECTIVE_LAST}${ONE}${WRONG}|distractor${ONE}?|distrator)(?:\\d{1,3}|[a-z])?`,
} satisfies Record<string, string>;

export type QuestionField = keyof typeof NAMES | keyof typeof PATTERNS;

/** The names by which users say what a column is. */
export const COLUMN_NAMES: Record<QuestionField, string> = {
  text: 'question',
  option: 'answer_1',
  correct: 'correct_answer',
  numbers: 'correct_numbers',
  wrong: 'wrong_answer',
  options: 'answers',
  wrongs: 'wrong_answers',
  type: 'type',
  difficulty: 'difficulty',
  format: 'format',
  explanation: 'explanation',
  source: 'source',
  licence: 'licence',
  quizTitle: 'quiz_title',
  quizDescription: 'quiz_description',
  quizCategory: 'quiz_category',
  quizDifficulty: 'quiz_difficulty',
  quizTags: 'quiz_tags',
  quizLanguage: 'quiz_language',
  quizTimeLimit: 'quiz_time_limit',
  quizMaxAttempts: 'quiz_max_attempts',
  quizQuestionsPerAttempt: 'quiz_questions_per_attempt',
  quizAcceptTypos: 'quiz_accept_typos',
};

export const isField = (name: string): name is QuestionField => Object.hasOwn(COLUMN_NAMES, name);

const FIELDS = new Map(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.map((name) => [name, field as QuestionField] as const),
  ),
);

const FIELD_PATTERNS = Object.entries(PATTERNS).map(
  ([field, pattern]) => [field as QuestionField, new RegExp(`^(?:${pattern})$`)] as const,
);

/**
 * The field that a name means. Hints of templates in a name are ignored: `2. Question`, `Question - max 120
 * characters`, `Answer 3 (Optional)`.
 */
export function fieldOf(name: string): QuestionField | undefined {
  const [start = ''] = name.split(/ [-–—] |[(\r\n]/, 1);
  return (
    known(plainName(name)) ?? known(plainName(start)) ?? known(plainName(start).replace(/^\d+/, ''))
  );
}

/** What a list of column names means, in terms of `ReadOptions`. @throws Malformed */
export function readColumns(names: string): string[] {
  return names.split(',').map((name) => {
    const field = fieldOf(name.trim());
    if (!field && !['', '-'].includes(name.trim()))
      throw new Malformed(
        `columns: ${quote(name)} is not a kind of column. Use ${Object.values(COLUMN_NAMES).join(', ')}, or - to leave a column out.`,
        'invalid-parameter',
      );
    return field ?? '';
  });
}

/** A name in the form in which names are compared. Names of more than 200 characters do not occur. */
export const plainName = (name: string): string =>
  name
    .slice(0, 200)
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/#$/, 'number')
    .replace(/[^\p{L}\p{N}]+/gu, '');

const known = (name: string): QuestionField | undefined =>
  FIELDS.get(name) ?? FIELD_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0];

/** What a row of a table or a JSON object has for a question, '' for missing fields. */
export type GivenFields = ReadonlyMap<QuestionField, readonly string[]>;

/**
 * The row for these fields.
 * @param first whether the numbers of correct answers count from 0 or 1
 * @param more `answers`: those that are marked already
 */
export function rowOfFields(
  place: FilePosition,
  given: GivenFields,
  first: FirstNumber,
  more: {
    quiz?: QuizOfRow | undefined;
    notes?: string[];
    errors?: string[];
    answers?: AnswerInput[];
    /** What a table calls the column of the correct answers; '' if it has none. */
    keyName?: string | undefined;
  },
): ParsedRow | ErrorRow {
  const errors = [...(more.errors ?? [])];
  const text = (field: QuestionField): string => given.get(field)?.[0] ?? '';
  const kind = text('type');
  const named = kind ? questionTypeOf(kind) : undefined;
  if (kind && !named)
    errors.push(
      `the type ${quote(kind)} is unknown: write MULTIPLE_CHOICE, TRUE_FALSE or OPEN_ENDED`,
    );
  const level = text('difficulty');
  const difficulty = level ? difficultyOf(level) : undefined;
  if (level && !difficulty)
    errors.push(`the difficulty ${quote(level)} is unknown: write EASY, MEDIUM, HARD or EXPERT`);
  const written = text('format').toLowerCase();
  const format = QUESTION_FORMATS.find((known) => known === written);
  const notes = [...(more.notes ?? [])];
  if (written && !format)
    notes.push(
      `The format ${quote(text('format'))} is unknown: the question is shown as it is written.`,
    );
  // A value that could not be read needs no second error about its consequences.
  if (errors.length > 0) return { ...place, error: sentence(errors) };
  const type = named ?? (more.answers ? undefined : impliedType(given));
  const answers = more.answers ?? answersOf(given, type, first, more.keyName);
  if (typeof answers === 'string') return { ...place, error: sentence([answers]) };
  const key = given.get('correct')?.find(Boolean) ?? '';
  // In a deck in capitals it may be the translation of a word.
  if (!named && type === 'TRUE_FALSE' && key && !/^(?:true|false)$/i.test(key))
    notes.push(`The answer ${quote(key)} is read as ${truthOf(key)}.`);
  const question = {
    text: text('text'),
    type,
    difficulty,
    format,
    explanation: text('explanation'),
    answers,
    source: text('source'),
    licence: text('licence'),
  };
  return rowOf(place, question, { quiz: more.quiz, notes });
}

/** A question with only its answer is a flash card. */
function impliedType(given: GivenFields): QuestionType | undefined {
  if ((['option', 'options', 'wrong', 'wrongs'] as const).some((field) => given.has(field)))
    return undefined;
  const isTruth = given.get('correct')?.every((key) => key === '' || isTruthWord(key));
  return isTruth === false ? 'OPEN_ENDED' : 'TRUE_FALSE';
}

/** The answers with their marks, or the error. */
function answersOf(
  given: GivenFields,
  type: QuestionType | undefined,
  first: FirstNumber,
  keyName?: string,
): AnswerInput[] | string {
  const all = (field: QuestionField): readonly string[] => given.get(field) ?? [];
  const [correct, numbers] = [all('correct').filter(Boolean), all('numbers').filter(Boolean)];
  const options = [...all('option'), ...all('options')].map(tidy);
  const unmarked = [...all('wrong'), ...all('wrongs')]
    .filter((text) => text.trim())
    .map((text) => ({ text, isCorrect: false }));
  const hasKey = correct.length + numbers.length > 0;
  if (type === 'OPEN_ENDED' && !hasKey)
    return [...options.filter(Boolean).map((text) => ({ text, isCorrect: true })), ...unmarked];
  if (!hasKey)
    return keyName === ''
      ? 'no correct answer is given: choose the column that names it, or add one'
      : `no correct answer is given: write its text, number or letter in ${keyName ? `the column ${quote(keyName)}` : 'the field "correct_answer"'}`;
  if (!options.some(Boolean)) {
    const [key = '', ...others] = correct;
    const truth = type === 'TRUE_FALSE' && !others.length && !unmarked.length && truthOf(key);
    if (truth) return ['True', 'False'].map((text) => ({ text, isCorrect: text === truth }));
    const marked = correct.map((text) => ({ text, isCorrect: true }));
    return type === 'OPEN_ENDED' ? [...marked, ...unmarked] : sorted([...marked, ...unmarked]);
  }
  const chosen = new Set<number>();
  // More are refused: comparing thousands of keys with as many answers took 3 s for 32 KiB.
  const isTooMany = options.filter(Boolean).length > MOST;
  const keys = isTooMany ? [] : [...new Set<string>(numbers.length ? numbers : correct)];
  const found = keys.map((key) =>
    numbers.length ? byNumber(key, options, first) : byAnything(key, options, first),
  );
  for (const places of found) {
    if (typeof places === 'string') return places;
    for (const place of places) chosen.add(place);
  }
  const marked = options.map((text, place) => ({ text, isCorrect: chosen.has(place) }));
  return [...marked.filter(({ text }) => text), ...unmarked];
}

const MOST = LIMITS.content.answersPerQuestion.value;

const ORDER = new Intl.Collator('en', { numeric: true });

/** The correct answer was separate from the others: sorted, its position reveals nothing. True before False. */
function sorted(answers: AnswerInput[]): AnswerInput[] {
  const isTrueFalse = answers.every(({ text }) => /^(?:true|false)$/i.test(text));
  return answers.sort((a, b) => ORDER.compare(a.text, b.text) * (isTrueFalse ? -1 : 1));
}
