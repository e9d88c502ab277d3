import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidSettings, loadConfig } from './config/config';
import { encryptionKeysOf } from './encryption-key';

describe('the key that seals webhook secrets', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'quiz-key-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const key = (env: Record<string, string> = {}) =>
    encryptionKeysOf(loadConfig({ DATA_DIR: join(dataDir, 'data'), ...env }))[0] as Buffer;

  it('is ENCRYPTION_KEY where that is set', () => {
    const given = Buffer.alloc(32, 'given');
    const env = { NODE_ENV: 'production', PUBLIC_URL: 'https://quiz.example.com' };
    expect(key({ ENCRYPTION_KEY: given.toString('base64'), ...env })).toEqual(given);
  });

  it('is made at the first start, for its owner only, and is the same at the next', () => {
    const made = key();
    expect(made).toHaveLength(32);
    const file = join(dataDir, 'data', 'encryption-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${made.toString('base64')}\n`);
    expect(key()).toEqual(made);
  });

  it('is never made in production', () => {
    expect(() => key({ NODE_ENV: 'production' })).toThrow(InvalidSettings);
    expect(() => key({ NODE_ENV: 'production' })).toThrow('openssl rand -base64 32');
    expect(existsSync(join(dataDir, 'data'))).toBe(false);
  });

  it('that was damaged stops the start instead of being replaced', () => {
    key();
    writeFileSync(join(dataDir, 'data', 'encryption-key'), 'half');
    expect(() => key()).toThrow('does not hold a key of 32 bytes');
  });
});
