import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { deliveryHeaders, serviceSignature, standardSignature, verifySignature } from './signature';

interface Vector {
  name: string;
  secret: string;
  otherSecret: string | null;
  id: string;
  timestamp: number;
  body: string;
  bodyBase64: string;
  'X-Service-Signature': string;
  'webhook-signature': string;
}

/** Computed by python3's hmac and by openssl, not by this code. */
const { vectors } = JSON.parse(
  readFileSync(join(__dirname, '../../../docs/webhook-signature-vectors.json'), 'utf8'),
) as { vectors: Vector[] };

const SECRET = vectors[0]!.secret;

describe('the headers of a delivery attempt', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))(
    'a delivery has the published signature: %s',
    (_name, vector) => {
      for (const body of [vector.body, Buffer.from(vector.bodyBase64, 'base64')]) {
        const headers = deliveryHeaders({
          eventId: vector.id,
          event: 'quiz.created',
          body,
          secret: vector.secret,
          otherSecret: vector.otherSecret,
          now: new Date(vector.timestamp * 1000 + 999),
        });
        expect(headers).toEqual({
          'Content-Type': 'application/json',
          'User-Agent': 'Service-Webhooks/1.0',
          'X-Service-Signature': vector['X-Service-Signature'],
          'X-Service-Event': 'quiz.created',
          'X-Service-Delivery': vector.id,
          'webhook-id': vector.id,
          'webhook-timestamp': String(vector.timestamp),
          'webhook-signature': vector['webhook-signature'],
        });
      }
    },
  );

  it('signing refuses an ambiguous event id and a malformed secret', () => {
    const input = { id: 'e', timestamp: 1, body: '{}', secret: SECRET };
    for (const id of ['', 'a.1', 'a b', 'é', 'a\n']) {
      expect(() => standardSignature({ ...input, id })).toThrow('event id');
    }
    for (const secret of ['', 'whsec_', 'hunter22hunter22', 'whsec_hunter22*', 'whsec_hunter2']) {
      expect(() => standardSignature({ ...input, secret })).toThrow('whsec_<base64>');
      try {
        standardSignature({ ...input, secret });
      } catch (error) {
        expect(String(error)).not.toContain('hunter2');
      }
    }
  });
});

describe('verifying X-Service-Signature', () => {
  it('verification accepts any signed bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ minLength: 1, unit: 'binary' }), (body, secret) => {
        expect(verifySignature(body, serviceSignature(body, secret), secret)).toBe(true);
      }),
    );
  });

  it('verification refuses a body with one changed byte', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (body, at, flip) => {
          const header = serviceSignature(body, SECRET);
          const changed = Uint8Array.from(body);
          changed[at % body.length]! ^= flip;
          expect(verifySignature(changed, header, SECRET)).toBe(false);
        },
      ),
    );
  });

  it('verification refuses a missing, truncated, prefixed, upper-case or foreign header', () => {
    const good = serviceSignature('{}', SECRET);
    const bad = [undefined, '', 'sha256=', good.slice(7), good.slice(0, -1), `${good} `];
    bad.push(`x${good}`, good.toUpperCase(), `sha256=${good.slice(7).toUpperCase()}`);
    bad.push(good.replace('sha256', 'sha1'), serviceSignature('{}', 'other'));
    for (const header of bad) expect(verifySignature('{}', header, SECRET)).toBe(false);
  });

  it('verification refuses everything under an empty secret', () => {
    expect(verifySignature('{}', serviceSignature('{}', ''), '')).toBe(false);
  });
});
