import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipArchive } from '../../src/import-export/formats/zip/zip-file';
import { writeZip } from '../../src/import-export/formats/zip/zip-writer';
import { PICTURE_BYTES, PICTURE_ID, RICH_QUIZ, withPictureIds } from '../support/rich-quiz';
import { collect, exported, questions, rowsOf } from '../support/rows';

/** QTI 1.2 to 3.0: packages and single items. */

const item2 = (inside: string, declaration = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="q1" title="Q" adaptive="false" timeDependent="false">
${declaration}<itemBody>${inside}</itemBody></assessmentItem>`;
const declared = (cardinality: string, ...values: string[]) =>
  `<responseDeclaration identifier="RESPONSE" cardinality="${cardinality}" baseType="identifier"><correctResponse>${values
    .map((value) => `<value>${value}</value>`)
    .join('')}</correctResponse></responseDeclaration>`;
const choice = (...choices: string[]) =>
  `<choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="0"><prompt>Which <b>flow</b> into the sea?</prompt>${choices
    .map((text, at) => `<simpleChoice identifier="c${at}">${text}</simpleChoice>`)
    .join('')}</choiceInteraction>`;

const packageOf = async (files: Record<string, string | Buffer>): Promise<Buffer> =>
  Buffer.concat(
    await Readable.from(
      writeZip(
        Object.entries(files).map(([name, content]) => ({
          name,
          content: [content],
          // As archives hold pictures.
          isStored: typeof content !== 'string',
        })),
      ),
    ).toArray(),
  );
const manifest = (type: string, ...hrefs: string[]) =>
  `<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"><resources>${hrefs
    .map(
      (href) =>
        `<resource identifier="x" type="${type}" href="${href}"><file href="${href}"/></resource>`,
    )
    .join('')}</resources></manifest>`;
const read = (file: string | Buffer) => rowsOf([Buffer.from(file as string)]);

it('items of 2.1 and 3.0 are read alike: several answers, True and False, and a gap', async () => {
  const several = item2(
    choice('Danube', 'Rhine &amp; Main', 'Bug'),
    declared('multiple', 'c0', 'c1'),
  );
  const expected = {
    text: 'Which flow into the sea?',
    type: 'MULTIPLE_CHOICE',
    answers: [
      { text: 'Danube', isCorrect: true },
      { text: 'Rhine & Main', isCorrect: true },
      { text: 'Bug', isCorrect: false },
    ],
  };
  expect(await read(several)).toMatchObject([{ question: expected, path: 'q1' }]);
  const three = several
    .replace(
      /<(\/?)([a-z]+)((?:Item|Body|Response|Declaration|Interaction|Choice)\b)/g,
      (_, end: string, name: string, more: string) => `<${end}${name}-${more.toLowerCase()}`,
    )
    .replace(
      /<(\/?)(assessment-item|item-body|correct-response|response-declaration|choice-interaction|simple-choice|prompt|value)\b/g,
      '<$1qti-$2',
    )
    .replaceAll('responseIdentifier', 'response-identifier')
    .replaceAll('baseType', 'base-type');
  expect(three).toContain('<qti-simple-choice');
  expect(await read(three)).toMatchObject([{ question: expected, path: 'q1' }]);
  const truth = item2(choice('True', 'False'), declared('single', 'c1'));
  expect(await read(truth)).toMatchObject([{ question: { type: 'TRUE_FALSE' } }]);
  const gap = item2(
    '<p>The capital of Italy is <textEntryInteraction responseIdentifier="RESPONSE"/>, is it not?</p>',
    `<responseDeclaration identifier="RESPONSE" cardinality="single" baseType="string"><correctResponse><value>Rome</value></correctResponse>
     <mapping defaultValue="0"><mapEntry mapKey="Rome" mappedValue="1"/><mapEntry mapKey="Roma" mappedValue="1"/><mapEntry mapKey="Rom" mappedValue="0.5"/></mapping></responseDeclaration>`,
  );
  expect(await read(gap)).toMatchObject([
    {
      question: {
        text: 'The capital of Italy is ____, is it not?',
        type: 'OPEN_ENDED',
        answers: [
          { text: 'Rome', isCorrect: true },
          { text: 'Roma', isCorrect: true },
        ],
      },
      notes: [expect.stringContaining('Partial credit')],
    },
  ]);
});

const CANVAS = `<?xml version="1.0"?>
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><assessment ident="a" title="Rivers"><section ident="root_section">
<item ident="i1" title="Question"><presentation><material><mattext texttype="text/html">&lt;p&gt;Which river flows through &lt;b&gt;Vienna&lt;/b&gt;?&lt;/p&gt;</mattext></material>
<response_lid ident="response1" rcardinality="Single"><render_choice><response_label ident="1"><material><mattext texttype="text/plain">The Danube</mattext></material></response_label>
<response_label ident="2"><material><mattext texttype="text/plain">The Rhine</mattext></material></response_label></render_choice></response_lid></presentation>
<resprocessing><respcondition continue="Yes"><conditionvar><other/></conditionvar><displayfeedback feedbacktype="Response" linkrefid="general_fb"/></respcondition>
<respcondition continue="No"><conditionvar><varequal respident="response1">1</varequal></conditionvar><setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing>
<itemfeedback ident="general_fb"><flow_mat><material><mattext texttype="text/html">&lt;p&gt;It does.&lt;/p&gt;</mattext></material></flow_mat></itemfeedback></item>
<item ident="i2"><presentation><material><mattext>Two of them?</mattext></material><response_lid ident="r" rcardinality="Multiple"><render_choice>
<response_label ident="a"><material><mattext>A</mattext></material></response_label><response_label ident="b"><material><mattext>B</mattext></material></response_label><response_label ident="c"><material><mattext>C</mattext></material></response_label></render_choice></response_lid></presentation>
<resprocessing><respcondition><conditionvar><and><varequal respident="r">a</varequal><varequal respident="r">c</varequal><not><varequal respident="r">b</varequal></not></and></conditionvar><setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing></item>
<item ident="i3"><presentation><material><mattext>Longest river?</mattext></material><response_str ident="r" rcardinality="Single"><render_fib/></response_str></presentation>
<resprocessing><respcondition><conditionvar><varequal respident="r">Volga</varequal><varequal respident="r">The Volga</varequal></conditionvar><setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing></item>
<item ident="i4"><presentation><material><mattext>Match</mattext></material><response_lid ident="r1"/><response_lid ident="r2"/></presentation></item>
<item ident="i5"><presentation><material><mattext>Write an essay</mattext></material><response_str ident="r"><render_fib/></response_str></presentation></item>
</section></assessment></questestinterop>`;

it.each([
  ['1.2', CANVAS.replace('title="Rivers"', `title="${'🌊'.repeat(201)}"`)],
  [
    '2.1',
    packageOf({
      'imsmanifest.xml': manifest('imsqti_test_xmlv2p1', 'test.xml'),
      'test.xml': `<assessmentTest title="${'🌊'.repeat(201)}"><testPart><assessmentSection><assessmentItemRef href="q.xml"/></assessmentSection></testPart></assessmentTest>`,
      'q.xml': item2(choice('A', 'B'), declared('single', 'c0')),
    }),
  ],
])('QTI %s: a title that is too long is cut after 200 characters', async (_, file) => {
  const [row] = await read(await file);
  expect(row).toMatchObject({ quiz: { title: '🌊'.repeat(200) } });
});

it('a package of Canvas (1.2) is read with a named error for what has no counterpart', async () => {
  const rows = await read(
    await packageOf({
      'imsmanifest.xml': `<manifest><resources><resource identifier="r" type="imsqti_xmlv1p2"><file href="r/r.xml"/></resource><resource identifier="m" type="associatedcontent/imscc_xmlv1p1/learning-application-resource" href="r/assessment_meta.xml"/></resources></manifest>`,
      'r/r.xml': CANVAS,
      'r/assessment_meta.xml': '<quiz/>',
    }),
  );
  const quiz = { title: 'Rivers' };
  expect(rows).toMatchObject([
    {
      path: 'r/r.xml: i1',
      quiz,
      question: {
        text: 'Which river flows through Vienna?',
        explanation: 'It does.',
        answers: [
          { text: 'The Danube', isCorrect: true },
          { text: 'The Rhine', isCorrect: false },
        ],
      },
    },
    { question: { answers: [{ isCorrect: true }, { isCorrect: false }, { isCorrect: true }] } },
    { question: { type: 'OPEN_ENDED', answers: [{ text: 'Volga' }, { text: 'The Volga' }] } },
    { path: 'r/r.xml: i4', error: expect.stringContaining('2 answers to give') },
    { path: 'r/r.xml: i5', error: expect.stringContaining('no accepted answer') },
  ]);
});

/** As Canvas writes feedback and gaps; samples of our own. */
const ofCanvas = (kind: string, text: string, ident: string, labels: string[], feedback: string) =>
  `<questestinterop><item ident="i1" title="Question"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>${kind}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>
<presentation><material><mattext texttype="text/html">&lt;p&gt;${text}&lt;/p&gt;</mattext></material><response_lid ident="${ident}"><material><mattext>gap1</mattext></material><render_choice>${labels
    .map(
      (label, at) =>
        `<response_label ident="${at}"><material><mattext>${label}</mattext></material></response_label>`,
    )
    .join('')}</render_choice></response_lid></presentation>
<resprocessing><respcondition><conditionvar><varequal respident="${ident}">0</varequal></conditionvar><setvar varname="SCORE" action="Add">100.00</setvar></respcondition></resprocessing>
<itemfeedback ident="general_incorrect_fb"><flow_mat><material><mattext>Wrong!</mattext></material></flow_mat></itemfeedback>${feedback}</item></questestinterop>`;

it.each<[string, string, object]>([
  [
    'feedback of Canvas on wrong answers is no explanation',
    ofCanvas('multiple_choice_question', 'Which one?', 'response1', ['A', 'B'], ''),
    {
      question: {
        text: 'Which one?',
        type: 'MULTIPLE_CHOICE',
        answers: [
          { text: 'A', isCorrect: true },
          { text: 'B', isCorrect: false },
        ],
      },
      notes: ['Feedback on single answers is not kept; general feedback is.'],
    },
  ],
  [
    'general feedback of Canvas is the explanation',
    ofCanvas(
      'multiple_dropdowns_question',
      'It is [gap1] here',
      'response_gap1',
      ['cold', 'hot'],
      '<itemfeedback ident="general_fb"><flow_mat><material><mattext>So it is.</mattext></material></flow_mat></itemfeedback>',
    ),
    { question: { text: 'It is ____ here', explanation: 'So it is.', type: 'MULTIPLE_CHOICE' } },
  ],
  [
    'one gap among those of Canvas is a typed answer',
    ofCanvas(
      'fill_in_multiple_blanks_question',
      'Bird is the [gap1]',
      'response_gap1',
      ['word'],
      '',
    ),
    {
      question: {
        text: 'Bird is the',
        type: 'OPEN_ENDED',
        answers: [{ text: 'word', isCorrect: true }],
      },
    },
  ],
])('%s', async (_, file, expected) => {
  const rows = await read(file);
  expect(rows).toMatchObject([expected]);
  expect(JSON.stringify(rows)).not.toContain('Wrong!');
});

it('a package whose pictures come before its manifest is recognised by any name', async () => {
  const zip = await packageOf({
    'img/map.png': Buffer.concat([PICTURE_BYTES, randomBytes(100_000)]),
    'items/one.xml': item2(choice('A', 'B'), declared('single', 'c1')),
    'imsmanifest.xml': manifest('imsqti_item_xmlv2p1', 'items/one.xml'),
  });
  for (const name of ['package.zip', ''])
    expect(await rowsOf([zip], undefined, name)).toMatchObject([
      { path: 'items/one.xml: q1', question: { answers: [{ text: 'A' }, { isCorrect: true }] } },
    ]);
  // Another archive is refused, with what to do.
  const photos = await packageOf({ 'photo.png': randomBytes(100) });
  expect(await rowsOf([photos], undefined, 'photos.zip')).toEqual([
    expect.objectContaining({ error: expect.stringContaining('no QTI package: unpack it') }),
  ]);
});

it('items that only the test of a package names are read, in its order, and missed where they are not there', async () => {
  const refs = ['two', 'one', 'gone'].map(
    (name) => `<qti-assessment-item-ref identifier="${name}" href="items/${name}.xml"/>`,
  );
  const item = (text: string) => item2(choice(text, 'B'), declared('single', 'c0'));
  const rows = await read(
    await packageOf({
      'imsmanifest.xml': `\uFEFF${manifest('imsqti_test_xmlv3p0', 'test.xml')}`,
      'test.xml': `\uFEFF<qti-assessment-test title="T"><qti-test-part><qti-assessment-section>${refs.join('')}</qti-assessment-section></qti-test-part></qti-assessment-test>`,
      'items/one.xml': item('One'),
      'items/two.xml': item('Two'),
    }),
  );
  expect(rows).toMatchObject([
    { quiz: { title: 'T' }, question: { answers: [{ text: 'Two' }, { text: 'B' }] } },
    { quiz: { title: 'T' }, question: { answers: [{ text: 'One' }, { text: 'B' }] } },
    {
      path: 'items/gone.xml',
      error: expect.stringContaining('named in the package and not in it'),
    },
  ]);
});

it('a choice that is only a formula is an error that says so', async () => {
  const formula = '<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>';
  expect(await read(item2(choice('one', formula), declared('single', 'c0')))).toMatchObject([
    {
      error:
        'Answer 2 has only a formula, a picture or a sound, which is not kept: write it as text.',
    },
  ]);
});

const MIXED = Buffer.concat([Buffer.from('<a>é\n'), Buffer.from('é</a>', 'latin1')]);
const MIXED_REASON =
  'the file mixes encodings: line 2 is not UTF-8, though line 1 is. Save it again as UTF-8.';

it('a package of 2.1 takes the title of its test, and names files that are missing or cannot be read', async () => {
  const rows = await read(
    await packageOf({
      'imsmanifest.xml': manifest(
        'imsqti_item_xmlv2p1',
        'items/a%20b.xml',
        'gone.xml',
        'bad.xml',
        'laughs.xml',
        'mixed.xml',
      ).replace(
        '</resources>',
        '<resource identifier="t" type="imsqti_test_xmlv2p1" href="test.xml"/></resources>',
      ),
      'items/a b.xml': item2(choice('A', 'B'), declared('single', 'c0')),
      'bad.xml': '<assessmentItem><itemBody>',
      'laughs.xml': '<!DOCTYPE x [<!ENTITY a "lol">]><assessmentItem/>',
      'mixed.xml': MIXED,
      'test.xml': '<assessmentTest title="My test"/>',
    }),
  );
  expect(rows).toMatchObject([
    {
      path: 'items/a b.xml: q1',
      quiz: { title: 'My test' },
      question: { text: 'Which flow into the sea?' },
    },
    { path: 'gone.xml', error: expect.stringContaining('named in the package and not in it') },
    { path: 'bad.xml', error: expect.stringContaining('cannot be read') },
    { path: 'laughs.xml', error: expect.stringContaining('document type') },
    { path: 'mixed.xml', error: `"mixed.xml" cannot be read: ${MIXED_REASON}` },
  ]);
});

/** An item of QTI 1.2 as learning platforms export it, whose metadata say what kind of question it is. */
const item1 = (kind: string, inside: string, conditions: string) =>
  `<item ident="${kind}" title="Question"><itemmetadata><qtimetadata><qtimetadatafield>
<fieldlabel>question_type</fieldlabel><fieldentry>${kind}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>
<presentation><material><mattext texttype="text/html">&lt;p&gt;Which of them?&lt;/p&gt;</mattext></material>${inside}</presentation>
<resprocessing><outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>${conditions}</resprocessing></item>`;
const choices1 = (cardinality: string, ...texts: string[]) =>
  `<response_lid ident="response1" rcardinality="${cardinality}"><render_choice>${texts
    .map(
      (text, at) =>
        `<response_label ident="${at}"><material><mattext texttype="text/plain">${text}</mattext></material></response_label>`,
    )
    .join('')}</render_choice></response_lid>`;
const gap1 =
  '<response_str ident="response1" rcardinality="Single"><render_fib><response_label ident="answer1" rshuffle="No"/></render_fib></response_str>';
const right1 = (condition: string) =>
  `<respcondition continue="No"><conditionvar>${condition}</conditionvar><setvar action="Set" varname="SCORE">100</setvar></respcondition>`;
const is1 = (value: string) => `<varequal respident="response1">${value}</varequal>`;

it.each([
  [
    'multiple_choice_question',
    choices1('Single', 'Rhine', 'Danube', 'Elbe'),
    right1(is1('1')),
    'MULTIPLE_CHOICE: Danube',
  ],
  [
    'multiple_answers_question',
    choices1('Multiple', 'Rhine', 'Danube', 'Elbe'),
    right1(`<and>${is1('0')}<not>${is1('1')}</not>${is1('2')}</and>`),
    'MULTIPLE_CHOICE: Rhine, Elbe',
  ],
  [
    'true_false_question',
    choices1('Single', 'True', 'False'),
    right1(is1('1')),
    'TRUE_FALSE: False',
  ],
  [
    'short_answer_question',
    gap1,
    right1(`${is1('Danube')}${is1('Donau')}`),
    'OPEN_ENDED: Danube, Donau',
  ],
  [
    'numerical_question',
    gap1,
    right1(
      `<or>${is1('42')}<and><vargte respident="response1">41.5</vargte><varlte respident="response1">42.5</varlte></and></or>`,
    ),
    'OPEN_ENDED: 42',
  ],
  [
    'matching_question',
    choices1('Single', 'Rhine', 'Danube') +
      choices1('Single', 'Bonn', 'Vienna').replaceAll('response1', 'response2'),
    right1(is1('1')),
    'It has 2 answers to give',
  ],
])(
  'a %s of QTI 1.2 is read, or refused with what it has',
  async (kind, inside, conditions, expected) => {
    const item = item1(kind, inside, conditions);
    const rows = await read(
      `<?xml version="1.0"?><questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><assessment ident="a" title="Rivers"><section ident="root_section">${item}</section></assessment></questestinterop>`,
    );
    const summary = rows.map((row) => {
      if ('error' in row) return row.error.split(' (', 1)[0];
      if (!('question' in row)) return row.note;
      const { text, type, answers } = row.question;
      expect(text).toBe('Which of them?');
      const correct = answers.filter(({ isCorrect }) => isCorrect).map((answer) => answer.text);
      return `${type}: ${correct.join(', ')}`;
    });
    expect(summary).toEqual([expected]);
  },
);

const points1 = (points: Record<string, string>, action = 'Set') =>
  Object.entries(points)
    .map(
      ([answer, number]) =>
        `<respcondition><conditionvar>${is1(answer)}</conditionvar><setvar action="${action}" varname="SCORE">${number}</setvar></respcondition>`,
    )
    .join('');
const of3 = (cardinality: string) => choices1(cardinality, 'Rhine', 'Danube', 'Elbe');

it.each<[string, string, string, string[], boolean]>([
  [
    'a choice with partial credit',
    of3('Single'),
    points1({ 0: '100', 1: '50', 2: '0' }),
    ['Rhine'],
    true,
  ],
  [
    'points are taken off for a choice',
    of3('Multiple'),
    points1({ 0: '50', 1: '50' }, 'Add') + points1({ 2: '50' }, 'Subtract'),
    ['Rhine', 'Danube'],
    false,
  ],
  [
    'choices that share the points',
    of3('Multiple'),
    points1({ 0: '33.33', 1: '33.33', 2: '33.34' }, 'Add'),
    ['Rhine', 'Danube', 'Elbe'],
    false,
  ],
  [
    'a combination, and partial credit for a part of it',
    of3('Multiple'),
    right1(`<and>${is1('0')}${is1('2')}</and>`) + points1({ 0: '50' }),
    ['Rhine', 'Elbe'],
    true,
  ],
  [
    'a typed answer with partial credit',
    gap1,
    points1({ Danube: '100', Dunav: '50' }),
    ['Danube'],
    true,
  ],
])(
  'QTI 1.2: only full credit makes an answer correct: %s',
  async (_, inside, conditions, expected, isPartial) => {
    const [row] = questions(
      await read(`<questestinterop>${item1('kind', inside, conditions)}</questestinterop>`),
    );
    const correct = row?.question.answers.filter(({ isCorrect }) => isCorrect);
    expect(correct?.map(({ text }) => text)).toEqual(expected);
    expect(row?.notes ?? []).toEqual(isPartial ? [expect.stringMatching(/^Partial credit/)] : []);
  },
);

it.each<[string, () => Promise<Buffer> | Buffer, RegExp]>([
  ['without a manifest', () => packageOf({ 'x.xml': '<a/>' }), /no imsmanifest.xml/],
  [
    'whose manifest is no XML',
    () => packageOf({ 'imsmanifest.xml': '<manifest' }),
    /"imsmanifest.xml" cannot be read/,
  ],
  ['in two encodings', () => MIXED, new RegExp(`^The file cannot be read: ${MIXED_REASON}$`)],
  [
    'whose manifest is in two encodings',
    () => packageOf({ 'imsmanifest.xml': MIXED }),
    new RegExp(`^"imsmanifest.xml" cannot be read: ${MIXED_REASON}$`),
  ],
  [
    'of an item with a document type',
    () => Buffer.from('<!DOCTYPE x><assessmentItem/>'),
    /document type/,
  ],
  [
    'with a document type that is larger than 1 MiB',
    () => Buffer.from(`<!DOCTYPE x [${'<!ENTITY a "b">'.repeat(100_000)}]><assessmentItem/>`),
    /no element begins within its first 1 MiB/,
  ],
  [
    'of more than 500,000 elements',
    () => Buffer.from(`<assessmentItem>${'<a/>'.repeat(500_001)}`),
    /too many elements/,
  ],
  ['nested deeply', () => Buffer.from(`<assessmentItem>${'<a>'.repeat(200)}`), /nested too deeply/],
  ['cut off', () => Buffer.from('<assessmentItem><itemBody>'), /not valid XML/],
])('a file of QTI %s is refused with a sentence', async (_, make, message) => {
  const rows = await rowsOf([await make()], 'qti');
  expect(rows).toEqual([
    expect.objectContaining({ error: expect.stringMatching(message), fatal: true }),
  ]);
});

it('a file of QTI with 100 levels of elements is read, and one with 101 is refused', async () => {
  // The item and its body are two. The others are not read as HTML, which may have fewer levels.
  const nested = (levels: number) =>
    '<rubricBlock>'.repeat(levels - 2) + '</rubricBlock>'.repeat(levels - 2);
  const file = (levels: number) =>
    item2(nested(levels) + choice('A', 'B'), declared('single', 'c0'));
  expect(await read(file(100))).toMatchObject([{ question: { text: 'Which flow into the sea?' } }]);
  expect(await read(file(101))).toEqual([
    expect.objectContaining({ error: expect.stringContaining('nested too deeply'), fatal: true }),
  ]);
});

it.each(['text/html', 'text/xhtml', 'text/plain'])(
  'a text of QTI 1.2 (%s) that is written as elements keeps its words, its lines and a note about its picture',
  async (texttype) => {
    const elements =
      '<p>Which river is the <b>longest </b>of <i>all </i>in Europe?</p><p>Choose <img src="one.png"/>one.</p>';
    const item = item1('kind', of3('Single'), right1(is1('1'))).replace(
      /<mattext texttype="text\/html">.*?<\/mattext>/,
      `<mattext texttype="${texttype}">${elements}</mattext>`,
    );
    const [row] = questions(await read(`<questestinterop>${item}</questestinterop>`));
    expect(row?.question.text).toBe('Which river is the longest of all in Europe?\nChoose one.');
    expect(row?.notes).toEqual([
      'Pictures, sounds and formulas are not kept (<img>).',
      'Formatting is not kept (<b>, <i>).',
    ]);
  },
);

it('a formula in HTML of QTI 1.2 is noted, as it is shown with its signs', async () => {
  const file = CANVAS.replace('&lt;b&gt;Vienna&lt;/b&gt;', '\\(x^2\\)');
  const row = (await read(file)).find((it) => 'question' in it);
  expect(row).toMatchObject({
    question: { text: 'Which river flows through \\(x^2\\)?' },
    notes: ['Formulas in TeX are kept as they are written: they are shown with their signs.'],
  });
});

it('a question of QTI about a document type is read as it is written', async () => {
  const answers = choice('<![CDATA[<!DOCTYPE html>]]>', 'B');
  const [row] = questions(await read(item2(answers, declared('single', 'c0'))));
  expect(row?.question.answers[0]?.text).toBe('<!DOCTYPE html>');
});

it.each(['qti-2.1', 'qti-3.0'] as const)(
  'an export as %s has all that QTI can say, and is read as it was written',
  async (format) => {
    const file = await exported(RICH_QUIZ, format);
    const zip = await ZipArchive.open([file]);
    const part = async (name: string) => Buffer.concat(await collect(zip.read(name))).toString();
    const word = (name: string) =>
      format === 'qti-2.1'
        ? name
        : `qti-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    expect(zip.names).toHaveLength(2 + RICH_QUIZ.questions.length + 1);
    const test = await part('test.xml');
    expect(test).toContain('title="Rivers &amp; &lt;lakes&gt; &quot;of&quot; Europe"');
    expect(test).toMatch(new RegExp(`<${word('timeLimits')} max-?[tT]ime="600"/>`));
    expect(test).toContain(`<${word('selection')} select="5"/>`);
    const item = await part('items/question-1.xml');
    expect(item).toContain('xml:lang="pt-BR"');
    expect(item).toContain('<p>Which river flows through Vienna?</p>');
    expect(item).toContain(`<${word('simpleChoice')} identifier="choice-1">The Danube<`);
    expect(item).toContain('<p>It does.<br/><br/>Really.</p>');
    expect(item).toContain('"licence":"CC0"');
    expect(await part('items/question-5.xml')).toMatch(/map-?[kK]ey="Roma &quot;eterna&quot;"/);
    expect(await part('items/question-6.xml')).toContain(
      `<img src="../media/${PICTURE_ID}.png" alt="A map"/>`,
    );
    expect(await part('items/question-9.xml')).toContain(
      '<math xmlns="http://www.w3.org/1998/Math/MathML">',
    );
    expect(await part('imsmanifest.xml')).toContain(`href="media/${PICTURE_ID}.png"`);
    await zip.close();
    const rows = questions(withPictureIds(await read(file)));
    expect(rows.map(({ question }) => question)).toEqual(RICH_QUIZ.questions);
    expect(rows.flatMap(({ notes }) => notes ?? [])).toEqual([]);
    const about = { ...RICH_QUIZ, questions: undefined, pictures: undefined };
    for (const row of rows) expect({ ...row.quiz, key: undefined }).toEqual(about);
  },
);

it('a file above 16 MiB and a question with more than 16 MiB of pictures are refused', async () => {
  const most = 16 * 2 ** 20;
  const large = item2(choice('a', 'b'), declared('single', 'c0')) + ' '.repeat(most);
  expect(await read(large)).toEqual([
    { line: 1, error: expect.stringMatching(/larger than 16 MiB: split it, or send/), fatal: true },
  ]);
  const shown = item2(`<img src="a.png" alt="a"/>${choice('a', 'b')}`, declared('single', 'c0'));
  const files = {
    'imsmanifest.xml': manifest('imsqti_item_xmlv2p1', 'large.xml', 'shown.xml'),
    'large.xml': large,
    'shown.xml': shown,
    'a.png': randomBytes(most + 1),
  };
  expect(await read(await packageOf(files))).toMatchObject([
    { path: 'large.xml', error: expect.stringMatching(/it is larger than 16 MiB: split it/) },
    { path: 'shown.xml', error: expect.stringMatching(/its pictures are larger than 16 MiB/) },
  ]);
});

it('texts of an export that another program changed count, and so do its pictures', async () => {
  const [first] = RICH_QUIZ.questions.slice(5);
  const quiz = { ...RICH_QUIZ, questions: first ? [first] : [] };
  const zip = await ZipArchive.open([await exported(quiz, 'qti-2.1')]);
  const files: Record<string, string | Buffer> = {};
  for (const name of zip.names) files[name] = Buffer.concat(await collect(zip.read(name)));
  await zip.close();
  const item = 'items/question-1.xml';
  files[item] = String(files[item]).replace('<em>this</em>', 'it');
  expect(questions(withPictureIds(await read(await packageOf(files))))).toMatchObject([
    {
      question: {
        text: `![A map](media:${PICTURE_ID})\n\nWhich river is it?`,
        format: 'markdown',
        explanation: `See ![it](media:${PICTURE_ID})`,
      },
      notes: ['Formatting is not kept (<strong>).'],
    },
  ]);
});

it('pictures of a foreign package are kept, the order of its test counts, and feedback that always follows is the explanation', async () => {
  const shown = item2(
    `<p>Where is <img src="images/a%20map.png" alt="the *map*"/>?</p>${choice('<p>A<br/>B</p>', 'C')}`,
    `${declared('single', 'c0')}<outcomeDeclaration identifier="F" cardinality="single" baseType="identifier"><defaultValue><value>f</value></defaultValue></outcomeDeclaration>`,
  ).replace(
    '</assessmentItem>',
    '<modalFeedback outcomeIdentifier="F" identifier="f" showHide="show">Here.</modalFeedback><modalFeedback outcomeIdentifier="G" identifier="g" showHide="show">Not there.</modalFeedback></assessmentItem>',
  );
  const rows = await read(
    await packageOf({
      'imsmanifest.xml': manifest('imsqti_item_xmlv2p2', 'one.xml', 'two.xml').replace(
        '</resources>',
        '<resource identifier="t" type="imsqti_test_xmlv2p2" href="tests/t.xml"/></resources>',
      ),
      'tests/t.xml':
        '<assessmentTest title="Timed"><timeLimits maxTime="90"/><testPart><assessmentSection><assessmentItemRef href="../two.xml"/><assessmentItemRef href="../one.xml"/></assessmentSection></testPart></assessmentTest>',
      'one.xml': item2(choice('A', 'B'), declared('single', 'c0')).replace(
        'title=',
        'xml:lang="de-at" title=',
      ),
      'two.xml': shown,
      'images/a map.png': PICTURE_BYTES,
    }),
  );
  expect(withPictureIds(rows)).toMatchObject([
    {
      path: 'two.xml: q1',
      quiz: { title: 'Timed', timeLimit: 90 },
      question: {
        text: `Where is ![the \\*map\\*](media:${PICTURE_ID})?\n\nWhich flow into the sea?`,
        format: 'markdown',
        explanation: 'Here.',
        answers: [{ text: 'A\n\nB' }, { text: 'C' }],
      },
      notes: [
        'Feedback on single answers is not kept; general feedback is.',
        'Formatting is not kept (<b>).',
      ],
    },
    { path: 'one.xml: q1', quiz: { title: 'Timed', language: 'de-AT' } },
  ]);
});
