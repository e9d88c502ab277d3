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

  it('the sealing key is ENCRYPTION_KEY when it is set', () => {
    const given = Buffer.alloc(32, 'given');
    const env = { NODE_ENV: 'production', PUBLIC_URL: 'https://quiz.example.com' };
    expect(key({ ENCRYPTION_KEY: given.toString('base64'), ...env })).toEqual(given);
  });

  it('the sealing key is created at the first start with owner-only access, and reused', () => {
    const made = key();
    expect(made).toHaveLength(32);
    const file = join(dataDir, 'data', 'encryption-key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${made.toString('base64')}\n`);
    expect(key()).toEqual(made);
  });

  it('the sealing key is never created in production', () => {
    expect(() => key({ NODE_ENV: 'production' })).toThrow(InvalidSettings);
    expect(() => key({ NODE_ENV: 'production' })).toThrow('openssl rand -base64 32');
    expect(existsSync(join(dataDir, 'data'))).toBe(false);
  });

  it('a DATA_DIR that is no folder stops the start with a sentence', () => {
    writeFileSync(join(dataDir, 'data'), '');
    expect(() => key()).toThrow(InvalidSettings);
    expect(() => key()).toThrow(/DATA_DIR=.+ cannot be used \(ENOTDIR.+\): choose a folder/);
  });

  it('a damaged sealing key stops the start and is not replaced', () => {
    key();
    writeFileSync(join(dataDir, 'data', 'encryption-key'), 'half');
    expect(() => key()).toThrow('does not hold a key of 32 bytes');
  });
});
