import { isFile, mediaOf, type Entry } from './reference.model';

/** Lines of code; those that do not apply are false. */
type Lines = (string | false)[];

/** The languages of the samples. The first is shown until the reader chooses another. */
const LANGUAGES = [
  { language: 'bash', label: 'curl', write: curl },
  { language: 'javascript', label: 'JavaScript', write: javascript },
  { language: 'python', label: 'Python', write: python },
  { language: 'go', label: 'Go', write: go },
  { language: 'php', label: 'PHP', write: php },
];

/** The request of an endpoint in every language. The key is read from the variable KEY. */
export function samplesOf(entry: Entry, baseUrl: string) {
  const request = requestOf(entry, baseUrl);
  return LANGUAGES.map(({ language, label, write }) => ({
    language,
    label,
    code: join(write(request), '\n'),
  }));
}

/** The request with the values of the examples. A file has a type and no body. */
function requestOf({ method, path, operation }: Entry, baseUrl: string) {
  const { operationId, parameters = [], requestBody, security } = operation;
  const places = parameters
    .filter((it) => it.in === 'path')
    .map(({ name, schema }) => [`{${name}}`, String(schema.examples?.[0])] as const);
  const url =
    baseUrl + places.reduce((text, [place, example]) => text.replace(place, example), path);
  const id = places[0]?.[1];
  const needsKey = security.length > 0;
  const media = mediaOf(requestBody?.content);
  const upload = media !== null && isFile(media.media);
  const type = upload ? 'text/csv' : media?.type;
  const body: unknown = media?.media.example;
  return { operationId, method, baseUrl, url, id, needsKey, type, body, isFile: upload };
}

type SampleRequest = ReturnType<typeof requestOf>;

function curl({ method, url, needsKey, type, body, isFile }: SampleRequest): Lines {
  const options = [
    `curl -s ${method === 'GET' || (method === 'POST' && type) ? '' : `-X ${method} `}"${url}"`,
    needsKey && '-H "Authorization: Bearer $KEY"',
    type !== undefined && `-H "Content-Type: ${type}"`,
    body !== undefined && `-d '${json(body).replaceAll("'", String.raw`'\''`)}'`,
    isFile && '--data-binary @questions.csv',
  ];
  return [join(options, ' \\\n  ')];
}

/** The calls of the typed client (clients/typescript). For other endpoints the sample uses fetch. */
const CLIENT_CALLS: Record<string, string> = {
  getMetadata: 'metadata()',
  listCategories: 'categories()',
  listQuizzes: 'quizzes.list()',
  createQuiz: 'quizzes.create(body)',
  getQuiz: 'quizzes.get(id)',
  exportQuiz: 'quizzes.export(id)',
  importQuestions: 'quizzes.importQuestions(id, body.questions)',
  getLeaderboard: 'quizzes.leaderboard(id)',
  findQuestions: 'questions.list()',
  createImport: 'imports.create(file)',
  listImports: 'imports.list()',
  getImport: 'imports.get(id)',
  cancelImport: 'imports.cancel(id)',
  startAttempt: 'attempts.start(id, body)',
  startAttemptAcrossQuizzes: 'attempts.startAcross(body)',
  getAttempt: 'attempts.get(id)',
  countQuestions: 'questions.counts()',
  answerQuestion: 'attempts.answer(id, body)',
  submitAttempt: 'attempts.submit(id)',
};

function javascript({ operationId, method, needsKey, ...request }: SampleRequest): Lines {
  const { baseUrl, url, id, type, body, isFile } = request;
  const call = CLIENT_CALLS[operationId]?.replace('(id', `('${id}'`);
  const sent = body !== undefined && `const body = ${json(body).replace(/"(\w+)":/g, '$1:')};`;
  if (!call) {
    const headers = [
      needsKey && 'Authorization: `Bearer ${process.env.KEY}`',
      sent && `'Content-Type': '${type}'`,
    ].filter(Boolean);
    return [
      sent,
      headers.length > 0 && `const headers = { ${headers.join(', ')} };`,
      `const response = await fetch('${url}', {`,
      `  method: '${method}',`,
      headers.length > 0 && '  headers,',
      sent && '  body: JSON.stringify(body),',
      '});\nconsole.log(await response.text());',
    ];
  }
  const key = needsKey ? ', apiKey: process.env.KEY' : '';
  return [
    isFile && "import { readFile } from 'node:fs/promises';",
    "import { QuizClient } from 'quiz-question-service-client';\n",
    `const client = new QuizClient({ baseUrl: '${baseUrl}'${key} });`,
    isFile && "const file = await readFile('questions.csv');",
    sent,
    `console.log(await client.${call});`,
  ];
}

function python({ method, url, needsKey, type, body, isFile }: SampleRequest): Lines {
  const value = literal(body, { null: 'None', true: 'True', false: 'False' });
  return [
    body !== undefined && 'import json',
    needsKey && 'import os',
    'import urllib.request\n',
    `request = urllib.request.Request("${url}", method="${method}")`,
    needsKey && 'request.add_header("Authorization", "Bearer " + os.environ["KEY"])',
    type !== undefined && `request.add_header("Content-Type", "${type}")`,
    body !== undefined && `request.data = json.dumps(${value}).encode()`,
    isFile && 'request.data = open("questions.csv", "rb").read()',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.read().decode())',
  ];
}

function go({ method, url, needsKey, type, body, isFile }: SampleRequest): Lines {
  const stop = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}';
  return [
    'package main\n\nimport (\n\t"io"\n\t"log"\n\t"net/http"\n\t"os"',
    body !== undefined && '\t"strings"',
    ')\n\nfunc main() {',
    body !== undefined && `\tbody := strings.NewReader(\`${json(body)}\`)`,
    isFile && `\tbody, err := os.Open("questions.csv")\n${stop}`,
    `\trequest, err := http.NewRequest("${method}", "${url}", ${type ? 'body' : 'nil'})`,
    stop,
    needsKey && '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))',
    type !== undefined && `\trequest.Header.Set("Content-Type", "${type}")`,
    '\tresponse, err := http.DefaultClient.Do(request)',
    stop,
    '\tdefer response.Body.Close()\n\tio.Copy(os.Stdout, response.Body)\n}',
  ];
}

function php({ method, url, needsKey, type, body, isFile }: SampleRequest): Lines {
  const value = literal(body, { '{': '[', '}': ']', ':': ' =>' }).replaceAll('$', String.raw`\$`);
  return [
    '<?php',
    `$http = ['method' => '${method}', 'header' => []];`,
    needsKey && "$http['header'][] = 'Authorization: Bearer ' . getenv('KEY');",
    type !== undefined && `$http['header'][] = 'Content-Type: ${type}';`,
    body !== undefined && `$http['content'] = json_encode(${value});`,
    isFile && "$http['content'] = file_get_contents('questions.csv');",
    `echo file_get_contents('${url}', false, stream_context_create(['http' => $http]));`,
  ];
}

const join = (lines: Lines, separator: string) =>
  lines.filter((line) => line !== false).join(separator);

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** JSON in another language: `words` replaces its tokens outside of strings. */
const literal = (value: unknown, words: Record<string, string>) =>
  (json(value) ?? '').replace(
    // eslint-disable-next-line redos/no-vulnerable -- the JSON is an example of ours
    /"(?:\\.|[^"\\])*"|[{}:]|null|true|false/g,
    (token) => words[token] ?? token,
  );
