import { firstCodePoints } from '../../../platform/text/text.rules';
import { questionMetadata, quizMetadata } from '../metadata';
import { typeOf } from '../parsed-question';
import type { ExportedQuiz, ImportedQuestion } from '../row';
import { escapeXml, instruction } from '../text/xml-text';
import { writeZip, type ZipEntry } from '../zip/zip-writer';
import { blocksOf, lineOf, visibleInQti, visibleTyped } from './qti-text';

export type QtiVersion = '2.1' | '3.0';

/**
 * A package of QTI: a manifest, a test with the rules of play, an item for each question, and their pictures. What QTI
 * cannot express is in processing instructions (`<?quiz …?>`), which other programs ignore.
 */
export function writeQti(quiz: ExportedQuiz, version: QtiVersion): AsyncGenerator<Uint8Array> {
  return writeZip(entriesOf(quiz, new Dialect(version)));
}

function* entriesOf(quiz: ExportedQuiz, dialect: Dialect): Generator<ZipEntry> {
  const items = quiz.questions.map((question, at) => itemOf(question, at, quiz, dialect));
  const pictures = new Set(items.flatMap((item) => item.pictures));
  const entry = (name: string, xml: string): ZipEntry => ({ name, content: [DECLARATION, xml] });
  yield entry('imsmanifest.xml', manifestOf(items, [...pictures], dialect));
  yield entry(TEST, testOf(quiz, items, dialect));
  for (const { file, xml } of items) yield entry(file, xml);
  for (const picture of pictures) {
    const content = quiz.pictures?.get(idOf(picture))?.read();
    if (content) yield { name: picture, content, isStored: true };
  }
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const TEST = 'test.xml';
const idOf = (picture: string): string => picture.replace(/^media\/|\.\w+$/g, '');

type Attributes = Record<string, string | number | boolean>;

/** The words of a version: `simpleChoice` of 2.1 is `qti-simple-choice` in 3.0. */
class Dialect {
  constructor(readonly version: QtiVersion) {}

  get is3(): boolean {
    return this.version === '3.0';
  }

  element(name: string, attributes: Attributes, ...content: (string | false)[]): string {
    const inner = content.filter(Boolean).join('');
    return tag(
      this.is3 ? `qti-${kebab(name)}` : name,
      Object.fromEntries(
        Object.entries(attributes).map(([key, value]) => [
          this.is3 && !key.includes(':') ? kebab(key) : key,
          value,
        ]),
      ),
      inner,
    );
  }

  /** The element of a document. */
  root(name: string, attributes: Attributes, ...content: (string | false)[]): string {
    const { namespace, schema } = NAMES[this.version];
    const schemas = { 'xmlns:xsi': XSI, 'xsi:schemaLocation': `${namespace} ${schema}` };
    return this.element(name, { xmlns: namespace, ...schemas, ...attributes }, ...content);
  }

  /** Blocks of text, which 3.0 has in an element of their own. */
  body(html: string): string {
    return this.is3 ? this.element('contentBody', {}, html) : html;
  }
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const NAMES = {
  '2.1': {
    namespace: 'http://www.imsglobal.org/xsd/imsqti_v2p1',
    schema: 'http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd',
    packages: 'http://www.imsglobal.org/xsd/imscp_v1p1',
    packageSchema: 'http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd',
    kind: ['QTIv2.1 Package', '1.0.0'],
    types: 'xmlv2p1',
    template: (name: string) => `http://www.imsglobal.org/question/qti_v2p1/rptemplates/${name}`,
  },
  '3.0': {
    namespace: 'http://www.imsglobal.org/xsd/imsqtiasi_v3p0',
    schema: 'https://purl.imsglobal.org/spec/qti/v3p0/schema/xsd/imsqti_asiv3p0_v1p0.xsd',
    packages: 'http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1',
    packageSchema:
      'https://purl.imsglobal.org/spec/qti/v3p0/schema/xsd/imsqtiv3p0_imscpv1p2_v1p0.xsd',
    kind: ['QTI Package', '3.0.0'],
    types: 'xmlv3p0',
    template: (name: string) => `https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/${name}.xml`,
  },
} as const;

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function tag(name: string, attributes: Attributes, inner: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`);
  return inner === ''
    ? `<${name}${given.join('')}/>`
    : `<${name}${given.join('')}>${inner}</${name}>`;
}

/** White space in an attribute is a blank, unless it is escaped. */
const attribute = (value: string | number | boolean): string =>
  escapeXml(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

interface Item {
  identifier: string;
  file: string;
  xml: string;
  /** Files of the package. */
  pictures: string[];
}

function itemOf(
  question: ImportedQuestion,
  at: number,
  { pictures, language }: ExportedQuiz,
  dialect: Dialect,
): Item {
  const { text, explanation, format, type } = question;
  const identifier = `question-${at + 1}`;
  const used = new Set<string>();
  const pictureUrl = (id: string): string => {
    const picture = pictures?.get(id);
    // Beyond the limit of a file they stay references, as in other formats.
    if (!picture) return `media:${id}`;
    const file = `media/${id}.${picture.type.replace('image/', '')}`;
    used.add(file);
    return `../${file}`;
  };
  const isTyped = type === 'OPEN_ENDED';
  const { declaration, interaction, template } = isTyped
    ? typedParts(question, dialect)
    : choiceParts(question, dialect, (each) => lineOf(each, format, pictureUrl));
  const metadata = questionMetadata(question, naturalType(question), (each, place) =>
    isTyped && place > 1 ? visibleTyped(each) : visibleInQti(each, format),
  );
  const xml = dialect.root(
    'assessmentItem',
    {
      identifier,
      title: titleOf(question, at),
      ...(language !== undefined && { 'xml:lang': language }),
      adaptive: false,
      timeDependent: false,
    },
    instruction(metadata),
    declaration,
    dialect.element(
      'outcomeDeclaration',
      { identifier: 'SCORE', cardinality: 'single', baseType: 'float', normalMaximum: 1 },
      defaultValue(dialect, '0'),
    ),
    // What follows every response: no condition changes it.
    explanation !== undefined &&
      dialect.element(
        'outcomeDeclaration',
        { identifier: 'FEEDBACK', cardinality: 'single', baseType: 'identifier' },
        defaultValue(dialect, 'explanation'),
      ),
    dialect.element('itemBody', {}, blocksOf(text, format, pictureUrl), interaction),
    dialect.element('responseProcessing', { template: NAMES[dialect.version].template(template) }),
    explanation !== undefined &&
      dialect.element(
        'modalFeedback',
        { outcomeIdentifier: 'FEEDBACK', showHide: 'show', identifier: 'explanation' },
        dialect.body(blocksOf(explanation, format, pictureUrl)),
      ),
  );
  return { identifier, file: `items/${identifier}.xml`, xml, pictures: [...used] };
}

/** The type that the reader would recognise. */
function naturalType({ type, answers }: ImportedQuestion): ImportedQuestion['type'] {
  if (type === 'OPEN_ENDED') return type;
  return typeOf(answers.map(({ text }) => text));
}

const defaultValue = (dialect: Dialect, value: string): string =>
  dialect.element('defaultValue', {}, dialect.element('value', {}, value));

/** Programs list items by their titles. */
function titleOf({ text, format }: ImportedQuestion, at: number): string {
  const shown = visibleInQti(text, format).replace(/\s+/g, ' ').trim();
  return firstCodePoints(shown, 60) || `Question ${at + 1}`;
}

interface Parts {
  declaration: string;
  interaction: string;
  template: 'match_correct' | 'map_response';
}

function choiceParts(
  { answers }: ImportedQuestion,
  dialect: Dialect,
  html: (text: string) => string,
): Parts {
  const correct = answers.flatMap(({ isCorrect }, at) => (isCorrect ? [`choice-${at + 1}`] : []));
  const isSingle = correct.length === 1;
  return {
    declaration: dialect.element(
      'responseDeclaration',
      {
        identifier: 'RESPONSE',
        cardinality: isSingle ? 'single' : 'multiple',
        baseType: 'identifier',
      },
      dialect.element(
        'correctResponse',
        {},
        ...correct.map((identifier) => dialect.element('value', {}, identifier)),
      ),
    ),
    interaction: dialect.element(
      'choiceInteraction',
      { responseIdentifier: 'RESPONSE', shuffle: false, maxChoices: isSingle ? 1 : 0 },
      ...answers.map(({ text }, at) =>
        dialect.element('simpleChoice', { identifier: `choice-${at + 1}` }, html(text)),
      ),
    ),
    template: 'match_correct',
  };
}

/** Of one field: longer answers scroll. */
const WIDEST = 60;

function typedParts({ answers }: ImportedQuestion, dialect: Dialect): Parts {
  const accepted = answers.find(({ isCorrect }) => isCorrect)?.text ?? '';
  const longest = Math.max(...answers.map(({ text }) => text.length));
  return {
    declaration: dialect.element(
      'responseDeclaration',
      { identifier: 'RESPONSE', cardinality: 'single', baseType: 'string' },
      dialect.element('correctResponse', {}, dialect.element('value', {}, escapeXml(accepted))),
      dialect.element(
        'mapping',
        { defaultValue: 0 },
        ...answers.map(({ text, isCorrect }) =>
          dialect.element('mapEntry', {
            mapKey: text,
            mappedValue: isCorrect ? 1 : 0,
            caseSensitive: false,
          }),
        ),
      ),
    ),
    interaction: tag(
      'p',
      {},
      dialect.element('textEntryInteraction', {
        responseIdentifier: 'RESPONSE',
        expectedLength: Math.min(WIDEST, longest),
      }),
    ),
    template: 'map_response',
  };
}

function testOf(quiz: ExportedQuiz, items: readonly Item[], dialect: Dialect): string {
  const { title, timeLimit, questionsPerAttempt } = quiz;
  return dialect.root(
    'assessmentTest',
    { identifier: 'test', title },
    instruction(quizMetadata(quiz)),
    timeLimit !== undefined && dialect.element('timeLimits', { maxTime: timeLimit }),
    dialect.element(
      'testPart',
      { identifier: 'part', navigationMode: 'nonlinear', submissionMode: 'simultaneous' },
      dialect.element(
        'assessmentSection',
        { identifier: 'section', title, visible: true },
        questionsPerAttempt !== undefined &&
          dialect.element('selection', { select: Math.min(questionsPerAttempt, items.length) }),
        questionsPerAttempt !== undefined && dialect.element('ordering', { shuffle: true }),
        ...items.map(({ identifier, file }) =>
          dialect.element('assessmentItemRef', { identifier, href: file }),
        ),
      ),
    ),
  );
}

function manifestOf(items: readonly Item[], pictures: readonly string[], dialect: Dialect): string {
  const { packages, packageSchema, kind, types } = NAMES[dialect.version];
  const file = (href: string) => tag('file', { href }, '');
  const dependency = (identifierref: string) => tag('dependency', { identifierref }, '');
  const resource = (identifier: string, type: string, href: string, needs: readonly string[]) =>
    tag('resource', { identifier, type, href }, file(href) + needs.map(dependency).join(''));
  const nameOf = (picture: string) => `picture-${idOf(picture)}`;
  return tag(
    'manifest',
    {
      xmlns: packages,
      'xmlns:xsi': XSI,
      identifier: 'package',
      'xsi:schemaLocation': `${packages} ${packageSchema}`,
    },
    [
      tag('metadata', {}, tag('schema', {}, kind[0]) + tag('schemaversion', {}, kind[1])),
      tag('organizations', {}, ''),
      tag(
        'resources',
        {},
        [
          resource(
            'test',
            `imsqti_test_${types}`,
            TEST,
            items.map(({ identifier }) => identifier),
          ),
          ...items.map((item) =>
            resource(item.identifier, `imsqti_item_${types}`, item.file, item.pictures.map(nameOf)),
          ),
          ...pictures.map((picture) => resource(nameOf(picture), 'webcontent', picture, [])),
        ].join('\n'),
      ),
    ].join('\n'),
  );
}
