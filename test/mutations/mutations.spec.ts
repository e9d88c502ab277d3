import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTATIONS } from './mutations';

/** `npm run test:mutations` takes minutes. Here it shows early that a mutation no longer fits the code. */
test.each(MUTATIONS.map((it) => [it.name, it] as const))(
  'the code that a mutation breaks occurs once: %s',
  (_, { file, from }) => {
    const source = readFileSync(join(__dirname, '../../src', file), 'utf8');
    expect(source.split(from)).toHaveLength(2);
  },
);
