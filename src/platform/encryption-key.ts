import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '#embedded-postgres';
import { type Config, InvalidSettings } from './config/config';

/**
 * The 32-byte keys that encrypt webhook secrets: the first one encrypts, all of them decrypt. They also sign the link for
 * the first administrator and the cookies of known browsers, and pseudonymise the players of deleted accounts. They come
 * from ENCRYPTION_KEY or, outside production (which requires it), from a key that is generated at the first start and
 * stored in DATA_DIR, readable by its owner only.
 * @throws InvalidSettings if the file of that key is damaged, or DATA_DIR cannot be used
 */
export function encryptionKeysOf(config: Config): readonly Buffer[] {
  const { encryptionKeys } = config;
  if (encryptionKeys.length > 0) return encryptionKeys;
  const dataDir = resolve(config.dataDir);
  try {
    return [readOrMakeKey(dataDir)];
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    // explain.ts has a better message for a full disk.
    if (!syscall || code === 'ENOSPC') throw error;
    throw new InvalidSettings([
      `DATA_DIR=${config.dataDir} cannot be used (${message}): choose a folder that this user may write to, or set ENCRYPTION_KEY`,
    ]);
  }
}

/** Whether there is a key already. */
export function hasEncryptionKey({ encryptionKeys, dataDir }: Config): boolean {
  return encryptionKeys.length > 0 || existsSync(fileIn(resolve(dataDir)));
}

const fileIn = (dataDir: string): string => join(dataDir, 'encryption-key');

function readOrMakeKey(dataDir: string): Buffer {
  const file = fileIn(dataDir);
  const kept = readKey(file);
  if (kept) return kept;
  makeFolder(dataDir);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  try {
    // A hard link appears atomically, so the first of several processes wins.
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  const made = readKey(file);
  if (!made) throw new Error(`${file} was removed while it was being made: start again.`);
  return made;
}

function readKey(file: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  throw new InvalidSettings([
    `${file} does not hold a key of 32 bytes as base64: restore it, or remove it and set new secrets for all webhook endpoints`,
  ]);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
