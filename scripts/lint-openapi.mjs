// Lints docs/openapi.json with two tools that know nothing of each other: Redocly's linter, and a validator that
// holds it against the OpenAPI Initiative's own schema. Every finding fails.
import { Validator } from '@seriousme/openapi-schema-validator';
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const config = await createConfig({ extends: ['recommended-strict'] });
const problems = await lint({ ref: file, config });
formatProblems(problems, { format: 'codeframe', totals: getTotals(problems) });

const { valid, errors } = await new Validator().validate(await readFile(file, 'utf8'));
if (!valid) process.stderr.write(`${JSON.stringify(errors, null, 2)}\n`);
if (problems.length > 0 || !valid) process.exit(1);
process.stdout.write('docs/openapi.json: accepted by Redocly and by the schema of OpenAPI 3.1\n');
