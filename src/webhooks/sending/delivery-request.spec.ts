import * as fc from 'fast-check';
import { receiverHeader, receiverText } from './delivery-request';

const text = (input: string) => receiverText(Buffer.from(input));

describe("a receiver's text", () => {
  it("a receiver's text keeps plain text, line feeds and tabs", () => {
    expect(text('OK\n\tdone — ñ 川 🏞️')).toBe('OK\n\tdone — ñ 川 🏞️');
    expect(text('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });

  it("a receiver's text loses control and direction characters", () => {
    expect(text('a\0b\x1b[31mc\r\nd\x7f\u0085e\u202ef\u2066g')).toBe('ab[31mc\ndefg');
  });

  it("a receiver's text is null when nothing is left", () => {
    expect(text('')).toBeNull();
    expect(text('\0\0')).toBeNull();
  });

  it("a receiver's text marks invalid UTF-8 and is not cut within a character", () => {
    expect(receiverText(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb');
    expect(receiverText(Buffer.from([0x61, 0xe2, 0x82]))).toBe('a\ufffd');
    expect(text(`${'a'.repeat(4094)}€€`)).toBe('a'.repeat(4094));
    expect(text('€'.repeat(3000))).toBe('€'.repeat(1365));
  });

  it("a receiver's text is well-formed, free of control characters and at most 4096 units", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6000, size: 'max' }), (bytes) => {
        const kept = receiverText(bytes) ?? '';
        expect(kept.length).toBeLessThanOrEqual(4096);
        expect(kept).not.toMatch(/\p{Surrogate}/u);
        expect(kept.replace(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it("a receiver's header is stored only when short and printable", () => {
    expect(receiverHeader('120')).toBe('120');
    expect(receiverHeader('Thu, 01 Jan 2026 00:05:00 GMT')).toBe('Thu, 01 Jan 2026 00:05:00 GMT');
    for (const value of [undefined, '', '1'.repeat(65), '1\0', 'é', ['1', '2']]) {
      expect(receiverHeader(value)).toBeNull();
    }
  });
});
