// node bench/generate.mjs --scale 1k|100k|1m [--data-dir <dir> | --database <url>]
//
// Makes the data that the benches read: skewed as real content is (tags, owners, categories and plays follow Zipf's
// law; 12 topics, 120 categories, 97 % public), ten questions a quiz, the same rows for the same scale everywhere.
// It goes into an embedded database in <dir>, or into <url>, an empty database of your own. The benches read
// data/bench-<scale>, the default of <dir>. It needs what `npm run build` makes.
import { parseArgs } from 'node:util';
import { openData } from './data/open.mjs';
import { load } from './data/load.mjs';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1k' },
    'data-dir': { type: 'string' },
    database: { type: 'string' },
  },
});
const { scale, database, 'data-dir': dataDir } = values;
if (database && dataDir) throw new Error('Give --data-dir or --database, not both.');
const say = (line) => console.log(line);
if (database) await load(database, scale, say);
else {
  const opened = await openData(scale, { dataDir, say });
  console.log(opened.loaded ? `Ready: ${opened.dataDir}` : `Already there: ${opened.dataDir}`);
  await opened.close();
}
