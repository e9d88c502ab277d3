import request from 'supertest';
import { signIn, type Window } from '../support/dashboard';
import { JPEG, jpegSegment, PICTURES, PLACE, png, pngChunk } from '../support/pictures';
import { type Service, startService, type TestAccount } from '../support/service';

/** Pictures of questions: taking, storing and sending them. */
describe('pictures', () => {
  let service: Service;
  let owner: TestAccount;
  let window: Window;

  beforeAll(async () => {
    service = await startService();
    owner = await service.account('pro');
    window = await signIn(service, owner);
  });
  afterAll(() => service.close());

  const upload = (bytes: Buffer, type = 'application/octet-stream', account = owner) =>
    account.post('/media').set('Content-Type', type).send(bytes);
  const open = (url: string) => request(service.url).get(url).buffer(true).parse(asBytes);
  const bytesOf = async (accountId: string) => {
    const [row] = await service.database.query<[{ bytes: string }]>(
      'SELECT content_bytes AS bytes FROM accounts WHERE id = $1',
      [accountId],
    );
    return Number(row.bytes);
  };

  it.each(PICTURES)('%s is stored and sent as it was', async (type, bytes, width, height) => {
    // What a client says of it does not matter.
    const { body } = await upload(bytes, 'text/html').expect(201);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f-]{17}$/),
        url: `/media/${body.data.id}`,
        ...{ type, width, height, bytes: bytes.length },
      },
    });
    const sent = await open(body.data.url).set('Accept', 'image/*').expect(200);
    expect(sent.body.equals(bytes)).toBe(true);
    expect(sent.headers).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; sandbox`,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(sent.headers).not.toHaveProperty('ratelimit-limit');
    expect(sent.headers).not.toHaveProperty('set-cookie');
    await open(body.data.url).set('If-None-Match', sent.headers.etag!).expect(304);
    // A browser that opens it as a page gets no other policy.
    const page = await open(body.data.url).set('Accept', 'text/html').expect(200);
    expect(page.headers['content-security-policy']).toBe(`default-src 'none'; sandbox`);
  });

  it('where a photo was taken is not stored', async () => {
    const photo = Buffer.concat([JPEG.subarray(0, 2), jpegSegment(0xfe, PLACE), JPEG.subarray(2)]);
    const { body } = await upload(photo, 'image/jpeg').expect(201);
    expect(body.data.bytes).toBe(JPEG.length);
    const [{ found }] = await service.database.query<[{ found: number }]>(
      `SELECT count(*)::int AS found FROM media WHERE position($1::bytea IN content) > 0`,
      [Buffer.from(PLACE)],
    );
    expect(found).toBe(0);
  });

  it('the same picture is stored once in an account, however many send it at once', async () => {
    const account = await service.account('starter');
    const bytes = png({ shade: 7 });
    const sent = await Promise.all(
      Array.from({ length: 5 }, () => upload(bytes, 'image/png', account)),
    );
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(sent.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await bytesOf(account.accountId)).toBe(bytes.length + 200);
    // In another account it is another picture: nobody learns what others have.
    const { body } = await upload(bytes).expect(201);
    expect(body.data.id).not.toBe(sent[0]!.body.data.id);
  });

  it('a picture of 1 MiB is taken, and one of a byte more is refused', async () => {
    const [start, end] = [png({ shade: 9 }).subarray(0, -12), png().subarray(-12)];
    const profile = (bytes: number) => {
      const pixels = Buffer.alloc(bytes - start.length - end.length - 12);
      return Buffer.concat([start, pngChunk('IDAT', pixels), end]);
    };
    const { body } = await upload(profile(1_048_576)).expect(201);
    expect(body.data.bytes).toBe(1_048_576);
    const refused = await upload(profile(1_048_577)).expect(413);
    expect(refused.headers['x-error-code']).toBe('file-too-large');
    expect(refused.body.error).toBe(
      'The picture is larger than 1 MiB. Make it smaller, or save it as WebP or JPEG.',
    );
  });

  it('what is no picture, or a damaged one, is refused with what to do', async () => {
    const svg = await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png');
    expect([svg.status, svg.headers['x-error-code']]).toEqual([415, 'unsupported-media-type']);
    expect(svg.body.error).toContain('SVG pictures are not supported');
    const half = await upload(png().subarray(0, -20)).expect(422);
    expect(half.headers['x-error-code']).toBe('invalid-picture');
    expect(half.body).toMatchObject({
      error: 'The picture is not valid: it is cut off. Save it again, or copy the whole file.',
      details: [{ path: '', code: 'picture' }],
    });
    const large = await upload(png({ width: 8_001 })).expect(422);
    expect(large.body.error).toContain('8,001 × 3 pixels, and at most 8,000 × 8,000');
    const form = await owner
      .post('/media')
      .set('Content-Type', 'multipart/form-data; boundary=x')
      .send('--x--');
    expect([form.status, form.headers['x-error-code']]).toEqual([400, 'file-not-received']);
  });

  it('an unknown picture, and one of a disabled account, are not found', async () => {
    for (const id of ['3f2b8c1d-9a47-4e0b-8d5c-6b1f0e9a7c24', 'x', '%00', '..%2f..'])
      await open(`/media/${id}`).expect(404);
    const account = await service.account('starter');
    const { body } = await upload(png(), 'image/png', account).expect(201);
    await service.database.query('UPDATE accounts SET disabled_at = now() WHERE id = $1', [
      account.accountId,
    ]);
    const refused = await open(body.data.url).expect(404);
    expect(refused.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-error-code': 'not-found',
    });
  });

  it('pictures count towards the bytes of the plan', async () => {
    const account = await service.account('starter');
    await service.database.query('UPDATE accounts SET content_bytes = $2 WHERE id = $1', [
      account.accountId,
      67_108_864 - 200 - png().length,
    ]);
    await upload(png({}, [pngChunk('pHYs', '\0\0\x0b\x13\0\0\x0b\x13\x01')]), 'image/png', account)
      .expect(422)
      .expect('X-Error-Code', 'content-limit');
    await upload(png(), 'image/png', account).expect(201);
    await service.database.query('DELETE FROM media WHERE account_id = $1', [account.accountId]);
    expect(await bytesOf(account.accountId)).toBe(67_108_864 - 200 - png().length);
  });

  it('the dashboard takes pictures from the editor, and from no other site', async () => {
    const send = (bytes: Buffer) => window.upload('/media', bytes);
    const { body } = await send(png({ shade: 3 })).expect(201);
    expect(body.data).toMatchObject({ type: 'image/png', width: 4, height: 3 });
    await open(body.data.url).expect(200);
    const refused = await send(Buffer.from('no picture')).expect(415);
    expect(refused.body.error).toContain('is not a PNG, JPEG, WebP, GIF or AVIF picture');
    await send(png({ shade: 4 }))
      .set('Sec-Fetch-Site', 'cross-site')
      .expect(403);
    await request(service.url)
      .post('/dashboard/media')
      .set({ 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' })
      .type('image/png')
      .send(png() as object)
      .expect(401);
    // A Free account writes drafts on the dashboard, with pictures.
    const free = await service.account('free');
    await upload(png(), 'image/png', free).expect(403);
    const drafts = await signIn(service, free);
    await drafts.upload('/media', png()).expect(201);
  });
});

/** Of a response that is no text. */
function asBytes(response: unknown, done: (error: null, bytes: Buffer) => void): void {
  const pieces: Buffer[] = [];
  const stream = response as NodeJS.ReadableStream;
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('end', () => done(null, Buffer.concat(pieces)));
}
