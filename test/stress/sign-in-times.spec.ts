import argon2 from '@node-rs/argon2';
import { ARGON2ID, PasswordsService } from '../../src/access/sessions/passwords.service';
import { Overloaded } from '../../src/platform/errors/domain-errors';
import { startService } from '../support/service';
import { member, PRODUCTION_ARGON2ID, Visitor } from '../support/visitor';

// Apart from other tests: their work would count, too.
test('a sign-in with an unknown address costs as much computing time as one with a wrong password', async () => {
  const service = await startService();
  const cheap = { ...ARGON2ID };
  Object.assign(ARGON2ID, PRODUCTION_ARGON2ID);
  try {
    const { accountId, email } = await member(service);
    const [row] = await service.database.query<[{ hash: string }]>(
      `SELECT password_hash AS hash FROM accounts WHERE id = $1`,
      [accountId],
    );
    expect(row.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const visitor = new Visitor(service);
    const took = async (address: string) => {
      const before = process.cpuUsage();
      expect((await visitor.signIn(address, 'not the password')).status).toBe(422);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // The first one of each also pays for what is loaded once.
    await took(email);
    await took('nobody@example.com');
    // Sums: the system counts the computing time of a single request too coarsely.
    const times = { known: 0, unknown: 0 };
    for (let turn = 0; turn < 7; turn++) {
      times.known += await took(email);
      times.unknown += await took(`nobody-${turn}@example.com`);
    }
    // Hashing is nine tenths of it: without that work the unknown ones would be back in a few milliseconds.
    expect(times.unknown).toBeGreaterThan(times.known / 2);
    expect(times.known).toBeGreaterThan(times.unknown / 2);
  } finally {
    Object.assign(ARGON2ID, cheap);
    await service.close();
  }
});

test('passwords are checked one after the other, so that they leave cores for others', async () => {
  const service = await startService();
  const verifyNow = argon2.verify;
  let underWay = 0;
  let most = 0;
  const verify = jest.spyOn(argon2, 'verify').mockImplementation(async (...args) => {
    most = Math.max(most, ++underWay);
    try {
      return await verifyNow(...args);
    } finally {
      underWay -= 1;
    }
  });
  try {
    const passwords = service.app.get(PasswordsService);
    // Too long to be looked up: nothing but the password is checked.
    const email = `${'a'.repeat(400)}@b.example`;
    await Promise.all(Array.from({ length: 12 }, () => passwords.check(email, 'wrong')));
    expect(verify).toHaveBeenCalledTimes(12);
    expect(most).toBe(1);
  } finally {
    verify.mockRestore();
    await service.close();
  }
});

test('beyond 300 passwords that wait, further ones are refused at once', async () => {
  const service = await startService();
  try {
    const passwords = service.app.get(PasswordsService);
    const email = `${'a'.repeat(400)}@b.example`;
    await passwords.check(
      email,
      'the first one makes the hash that unknown addresses are compared with',
    );
    const checks = Array.from({ length: 310 }, () => passwords.check(email, 'wrong'));
    const results = await Promise.allSettled(checks);
    const refused = results.filter(({ status }) => status === 'rejected');
    // One is under way.
    expect(refused).toHaveLength(9);
    expect(refused).toContainEqual({ status: 'rejected', reason: expect.any(Overloaded) });
    expect(await passwords.check(email, 'wrong')).toBeNull();
  } finally {
    await service.close();
  }
});
