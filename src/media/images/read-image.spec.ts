import {
  AVIF,
  exif,
  GIF,
  JPEG,
  jpegSegment,
  PICTURES,
  PLACE,
  png,
  pngChunk,
  WEBP,
  webp,
  webpChunk,
  xmp,
} from '../../../test/support/pictures';
import { UnsupportedMediaType } from '../../platform/errors/domain-errors';
import { ImageError } from './image';
import { readImage } from './read-image';

/** After the first two bytes, the marker of its beginning. */
const jpegWith = (...segments: Buffer[]) =>
  Buffer.concat([JPEG.subarray(0, 2), ...segments, JPEG.subarray(2)]);
const gifWith = (block: string) =>
  Buffer.concat([GIF.subarray(0, -1), Buffer.from(block, 'latin1'), GIF.subarray(-1)]);

/** The chunk of the picture itself. */
const VP8 = WEBP.subarray(12);
const vp8x = (flags: number, width = 1, height = 1) => {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', data);
};

/** A WebP of 2 × 3 pixels, whose only frame, of one pixel, begins there. */
function moving(left: number, top: number): Buffer {
  const header = Buffer.alloc(16);
  header.writeUIntLE(left / 2, 0, 3);
  header.writeUIntLE(top / 2, 3, 3);
  const frame = webpChunk('ANMF', Buffer.concat([header, VP8]));
  return webp(vp8x(0x02, 2, 3), webpChunk('ANIM', '\0'.repeat(6)), frame);
}

/** A box of an AVIF file. */
const box = (type: string, ...parts: (Buffer | string)[]) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  const head = Buffer.from(`\0\0\0\0${type}`, 'latin1');
  head.writeUInt32BE(content.length + 8);
  return Buffer.concat([head, content]);
};

/** The sample whose only item is of another kind, or has other content: that of 29 bytes. */
function avifOf(kind: string, content: string): Buffer {
  const bytes = Buffer.from(AVIF);
  bytes.write(kind, bytes.indexOf('av01'), 'latin1');
  bytes.fill(0, bytes.length - 29);
  bytes.write(content, bytes.length - 29, 'latin1');
  return bytes;
}

/** An AV1 sequence header for a height of one pixel. @param bits what stands before the size */
function sequence(bits: string, width: number): string {
  const size = `1100 0000 ${(width - 1).toString(2).padStart(13, '0')} 0`;
  // Without tools.
  const bytes = `${bits} ${size} ${'0'.repeat(11)}`.replaceAll(' ', '').match(/.{1,8}/g) ?? [];
  const values = bytes.map((byte) => parseInt(byte.padEnd(8, '0'), 2));
  return String.fromCharCode(0x0a, values.length, ...values);
}

/** Everything that may stand before the size. */
const LONG_SEQUENCE =
  // Not reduced, with timing at equal intervals, a decoder model with delays of 3 bits, and display delays.
  `000 1 0 1 ${'0'.repeat(64)} 1 00101 1 00010 ${'0'.repeat(42)} 1` +
  // Two operating points, one with everything.
  '00001 000000000000 01000 1 1 0000000 1 1001 000000000000 00111 0 0';

const u16 = (value: number) => String.fromCharCode(value >> 8, value & 0xff);

/** What is decoded of an AVIF, whatever size it says. */
const AVIF_PARTS: [string, (side: number) => Buffer][] = [
  ['its pixels', (side) => avifOf('av01', `\x12\0${sequence('000 1 1 00000', side)}`)],
  ['its pixels, described at length', (side) => avifOf('av01', sequence(LONG_SEQUENCE, side))],
  ['its tiles', (side) => avifOf('grid', `\0\0\0\0\0\x02${u16(side)}`)],
  ['its tiles, in 32 bits', (side) => avifOf('grid', `\0\x01\0\0\0\0${u16(side)}\0\0\0\x02`)],
  ['its overlay', (side) => avifOf('iovl', `${'\0'.repeat(10)}${u16(side)}\0\x02`)],
  ['another part', (side) => avifWithExif(side)],
];

/**
 * The sample with a second item, its EXIF, behind the pixels; and with a turn by 90 degrees.
 * @param width of a part that is not shown by itself
 */
function avifWithExif(width = 300): Buffer {
  const ftyp = AVIF.subarray(0, 32);
  const pixels = AVIF.subarray(-29);
  const u32 = (value: number) => String.fromCharCode(value >> 24, value >> 16, value >> 8, value);
  const metadata = Buffer.from(`\0\0\0\0MM\0*${PLACE}`, 'latin1');
  const meta = (from: number) =>
    box(
      'meta',
      '\0\0\0\0',
      box('hdlr', '\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0'),
      box('pitm', '\0\0\0\0\0\x01'),
      box(
        'iloc',
        '\0\0\0\0\x44\0\0\x02',
        `\0\x01\0\0\0\x01${u32(from)}${u32(pixels.length)}`,
        `\0\x02\0\0\0\x01${u32(from + pixels.length)}${u32(metadata.length)}`,
      ),
      box(
        'iinf',
        '\0\0\0\0\0\x02',
        box('infe', '\x02\0\0\0\0\x01\0\0av01\0'),
        box('infe', '\x02\0\0\0\0\x02\0\0Exif\0'),
      ),
      box(
        'iprp',
        box(
          'ipco',
          box('ispe', `\0\0\0\0${u32(300)}${u32(200)}`),
          box('irot', '\x01'),
          AVIF.subarray(AVIF.indexOf('av1C') - 4, AVIF.indexOf('av1C') + 8),
          box('ispe', `\0\0\0\0${u32(width)}${u32(200)}`),
        ),
        box('ipma', '\0\0\0\0\0\0\0\x01\0\x01\x03\x01\x02\x83'),
      ),
    );
  const from = ftyp.length + meta(0).length + 8;
  return Buffer.concat([ftyp, meta(from), box('mdat', pixels, metadata), box('free', PLACE)]);
}

describe('reading pictures', () => {
  it.each(PICTURES)(
    '%s: a picture without metadata stays byte for byte',
    (type, bytes, width, height) => {
      expect(readImage(bytes)).toEqual({ type, width, height, bytes });
    },
  );

  it.each<[string, Buffer, Buffer]>([
    [
      'EXIF, XMP, texts and times of PNG',
      png(),
      png({}, [
        pngChunk('eXIf', exif(1)),
        pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${xmp}`),
        pngChunk('tEXt', `Comment\0${PLACE}`),
        pngChunk('tIME', '\x07\xea\x0b\x1b\x0c\0\0'),
        pngChunk('prVt', PLACE),
      ]),
    ],
    [
      'EXIF, XMP, IPTC, previews and comments of JPEG',
      JPEG,
      jpegWith(
        jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(1)])),
        jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${xmp}`),
        jpegSegment(0xed, `Photoshop 3.0\0${PLACE}`),
        jpegSegment(0xe2, `MPF\0${PLACE}`),
        jpegSegment(0xfe, PLACE),
      ),
    ],
    [
      'EXIF and XMP of WebP',
      webp(vp8x(0x10), VP8),
      webp(
        vp8x(0x1c),
        VP8,
        webpChunk('EXIF', exif(1)),
        webpChunk('XMP ', xmp),
        webpChunk('junk', PLACE),
      ),
    ],
    [
      'comments and XMP of GIF',
      GIF,
      gifWith(
        `\x21\xfe${String.fromCharCode(PLACE.length)}${PLACE}\0` +
          `\x21\xff\x0bXMP DataXMP${String.fromCharCode(PLACE.length)}${PLACE}\0` +
          `\x21\xff\x0bNETSCAPE2.0${String.fromCharCode(PLACE.length)}${PLACE}\0`,
      ),
    ],
  ])('%s are left out', (_, clean, bytes) => {
    expect(bytes.includes(PLACE)).toBe(true);
    expect(readImage(bytes).bytes.equals(clean)).toBe(true);
  });

  it('EXIF of AVIF becomes zeros, and the size is that of the turned picture', () => {
    const bytes = avifWithExif();
    expect(bytes.includes(PLACE)).toBe(true);
    const image = readImage(bytes);
    expect(image).toMatchObject({ type: 'image/avif', width: 200, height: 300 });
    expect(image.bytes.includes('GPS')).toBe(false);
    expect(image.bytes.length).toBe(bytes.length);
    expect(image.bytes.includes(AVIF.subarray(-29))).toBe(true);
    expect(readImage(image.bytes)).toEqual(image);
  });

  it.each([
    [3, 3, 2],
    [6, 2, 3],
  ])(
    'a photo keeps how it is turned (%i) and nothing else of its EXIF',
    (orientation, width, height) => {
      const metadata = Buffer.concat([Buffer.from('Exif\0\0'), exif(orientation)]);
      const image = readImage(jpegWith(jpegSegment(0xe1, metadata)));
      expect(image).toMatchObject({ width, height });
      expect(image.bytes.includes(PLACE)).toBe(false);
      expect(image.bytes.length).toBe(JPEG.length + 36);
      expect(image.bytes[2 + 28 + 1]).toBe(orientation);
      expect(readImage(image.bytes)).toEqual(image);
    },
  );

  it.each([
    ['the lowest byte first', 'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0', 2, 3],
    ['a directory behind its end', 'MM\0*\0\0\xff\xff', 3, 2],
    ['another value than it defines', 'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x09', 3, 2],
  ])('a photo whose EXIF has %s is taken', (_, tiff, width, height) => {
    const photo = jpegWith(jpegSegment(0xe1, `Exif\0\0${tiff}`));
    expect(readImage(photo)).toMatchObject({ width, height });
  });

  it('a GIF keeps how often its animation runs', () => {
    const animated = gifWith('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0');
    expect(readImage(animated).bytes.equals(animated)).toBe(true);
  });

  it('a GIF without its last byte, which some programs forget, gets it', () => {
    expect(readImage(GIF.subarray(0, -1)).bytes.equals(GIF)).toBe(true);
  });

  it.each(PICTURES)('%s: what follows the end of a picture is cut off', (_, bytes) => {
    for (const more of ['<script>alert(1)</script>', 'PK\x03\x04 a zip archive', 'x', '\0\0\0\0'])
      expect(
        readImage(Buffer.concat([bytes, Buffer.from(more, 'latin1')])).bytes.equals(bytes),
      ).toBe(true);
  });

  it('a PNG whose header has another length is refused', () => {
    const signature = png().subarray(0, 8);
    const rest = png().subarray(33);
    for (const length of [0, 8, 12, 14])
      expect(() =>
        readImage(Buffer.concat([signature, pngChunk('IHDR', Buffer.alloc(length, 1)), rest])),
      ).toThrow('it begins with no header');
  });

  it.each(PICTURES)('%s: a picture that is cut off anywhere is refused', (type, bytes) => {
    const isGif = type === 'image/gif';
    for (let length = 0; length < bytes.length - Number(isGif); length += 1) {
      let error: unknown;
      try {
        readImage(bytes.subarray(0, length));
      } catch (thrown) {
        error = thrown;
      }
      const isKnown = error instanceof ImageError || error instanceof UnsupportedMediaType;
      expect([length, isKnown]).toEqual([length, true]);
    }
  });

  it.each(PICTURES)('%s: any changed byte is read or refused', (_, bytes) => {
    for (let at = 0; at < bytes.length; at += 1)
      for (const value of [0, 0x7f, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        try {
          readImage(changed);
        } catch (error) {
          if (error instanceof ImageError || error instanceof UnsupportedMediaType) continue;
          throw new Error(`byte ${at} as ${value}`, { cause: error });
        }
      }
  });

  const vp8l = (width: number, height: number) => {
    const data = Buffer.alloc(8);
    data[0] = 0x2f;
    data.writeUInt32LE(width - 1 + 0x4000 * (height - 1), 1);
    return webpChunk('VP8L', data);
  };
  it.each<[string, Buffer]>([
    ['after its pixels', webp(vp8l(9_000, 9_000), vp8x(0, 10, 10))],
    ['twice', webp(vp8x(2, 16_384, 16_384), vp8x(2, 10, 10), vp8l(10, 10))],
    ['after its colours', webp(webpChunk('ICCP', 'colours'), vp8x(0, 10, 10), vp8l(9_000, 9_000))],
  ])('a WebP with its header %s, which says another size, is refused', (_, bytes) => {
    expect(() => readImage(bytes)).toThrow('its header is not at the beginning');
  });

  it.each<[string, Buffer]>([
    ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'cICP'].map((name): [string, Buffer] => [
      `PNG (${name})`,
      png({}, [pngChunk(name, 'colours')]),
    ]),
    ['JPEG (ICC)', jpegWith(jpegSegment(0xe2, 'ICC_PROFILE\0\x01\x01colours'))],
    ['JPEG (Adobe)', jpegWith(jpegSegment(0xee, 'Adobe\0\x64\0\0\0\0\x02'))],
    ['WebP (ICC)', webp(vp8x(0x20), webpChunk('ICCP', 'colours'), VP8)],
  ])('what decides about the colours of a %s stays', (_, bytes) => {
    expect(readImage(bytes).bytes.equals(bytes)).toBe(true);
  });

  it('a JPEG loses a second height that browsers ignore', () => {
    const height = jpegSegment(0xdc, '\x1f\x41');
    const bytes = Buffer.concat([JPEG.subarray(0, -2), height, JPEG.subarray(-2)]);
    expect(readImage(bytes).bytes.equals(JPEG)).toBe(true);
  });

  it('a PNG with a second header, or a frame larger than itself, is refused', () => {
    const header = png({ width: 9_000 }).subarray(8, 33);
    expect(() => readImage(png({}, [header]))).toThrow('it has two headers');
    const frame = (...sides: number[]) => {
      const data = Buffer.alloc(26);
      sides.forEach((side, place) => data.writeUInt32BE(side, 4 + 4 * place));
      return png({ width: 4, height: 3 }, [pngChunk('fcTL', data)]);
    };
    for (const [width, height, left, top] of [
      [5, 3, 0, 0],
      [4, 4, 0, 0],
      [4, 3, 1, 0],
      [4, 3, 0, 1],
      [4, 3, 0xffff_ffff, 0],
    ] as const)
      expect(() => readImage(frame(width, height, left, top))).toThrow(
        'a frame is larger than the picture',
      );
    expect(readImage(frame(3, 2, 1, 1))).toMatchObject({ width: 4, height: 3 });
  });

  const withSize = (bytes: Buffer, at: number, write: (copy: Buffer, at: number) => void) => {
    const copy = Buffer.from(bytes);
    write(copy, at);
    return copy;
  };
  it('a GIF is as large as its first frame makes it', () => {
    const at = GIF.indexOf('\x2c', 21, 'latin1') + 1;
    const first = withSize(GIF, at, (it) => it.write('\x08\0\x02\0\x05\0\x09\0', at, 'latin1'));
    expect(readImage(first)).toMatchObject({ width: 13, height: 11 });
    const second = Buffer.concat([GIF.subarray(0, -1), first.subarray(at - 1)]);
    expect(readImage(second)).toMatchObject({ width: 1, height: 1 });
  });

  /** A picture by one of its sides, and how it is refused with 8,001 pixels. */
  const WITH_SIDE: [string, (side: number) => Buffer, string][] = [
    ['PNG', (width) => png({ width }), 'it has 8,001 × 3 pixels'],
    [
      'JPEG',
      (side) =>
        withSize(JPEG, JPEG.indexOf('\xff\xc0', 0, 'latin1') + 5, (it, at) =>
          it.writeUInt16BE(side, at),
        ),
      'it has 3 × 8,001 pixels',
    ],
    ['WebP', (height) => webp(vp8x(0x10, 1, height), VP8), 'it has 1 × 8,001 pixels'],
    [
      'WebP without header',
      (side) => withSize(WEBP, 26, (it, at) => it.writeUInt16LE(side, at)),
      'it has 8,001 × 1 pixels',
    ],
    [
      'GIF',
      (side) => withSize(GIF, 6, (it, at) => it.writeUInt16LE(side, at)),
      'it has 8,001 × 1 pixels',
    ],
    [
      'GIF by a frame',
      (side) =>
        withSize(GIF, GIF.indexOf('\x2c', 21, 'latin1') + 5, (it, at) =>
          it.writeUInt16LE(side, at),
        ),
      'one of its frames is larger than 8,000 × 8,000 pixels',
    ],
    [
      'AVIF',
      (side) => withSize(AVIF, AVIF.indexOf('ispe') + 8, (it, at) => it.writeUInt32BE(side, at)),
      'it has 8,001 × 2 pixels',
    ],
    ...AVIF_PARTS.map(([name, withSide]): (typeof WITH_SIDE)[number] => [
      `AVIF by ${name}`,
      withSide,
      'one of its frames is larger than 8,000 × 8,000 pixels. Make it smaller',
    ]),
  ];
  it.each(WITH_SIDE)(
    '%s: a picture or frame larger than 8,000 pixels is refused',
    (_, withSide, refusal) => {
      const read = () => readImage(withSide(8_001));
      expect(read).toThrow(refusal);
      expect(read).toThrow(ImageError);
    },
  );
  it.each(WITH_SIDE)('%s: a picture of 8,000 pixels is accepted', (_, withSide) => {
    expect(() => readImage(withSide(8_000))).not.toThrow();
  });

  it.each(AVIF_PARTS)(
    'an AVIF that is as large as %s is refused with its size and what to do',
    (_, withSide) => {
      const bytes = withSide(8_192);
      // The first one is of what is shown.
      bytes.writeUInt32BE(8_064, bytes.indexOf('ispe') + 8);
      expect(() => readImage(bytes)).toThrow(
        /^The picture is not valid: it has (8,064 × 2|200 × 8,064) pixels, and at most 8,000 × 8,000 are accepted\. Make it smaller\.$/,
      );
    },
  );

  it('a frame that is larger than its picture, and a picture without pixels, are refused', () => {
    const small = webp(
      vp8x(0, 1, 1),
      withSize(VP8, 14, (it, at) => it.writeUInt16LE(9_000, at)),
    );
    expect(() => readImage(small)).toThrow('larger than the picture');
    for (const [left, top] of [
      [2, 0],
      [0, 4],
      [0x1ff_fffe, 0],
    ] as const)
      expect(() => readImage(moving(left, top))).toThrow('larger than the picture');
    expect(readImage(moving(0, 2))).toMatchObject({ width: 2, height: 3 });
    expect(() => readImage(webp(vp8x(0)))).toThrow('no pixels');
    expect(() => readImage(png({ width: 0 }))).toThrow('no width');
  });

  it.each<[string, Buffer]>([
    ['PNG', png({}, [...Array.from({ length: 10_000 }, () => pngChunk('prVt'))])],
    ['JPEG', jpegWith(...Array.from({ length: 10_000 }, () => jpegSegment(0xfe, '')))],
    ['WebP', webp(vp8x(0x10), VP8, ...Array.from({ length: 10_000 }, () => webpChunk('junk', '')))],
    ['GIF', gifWith('\x21\xfe\0'.repeat(10_000))],
  ])('%s: a picture of more than 10,000 parts is refused', (_, bytes) => {
    expect(() => readImage(bytes)).toThrow(ImageError);
    expect(() => readImage(bytes)).toThrow(
      'it has more than 10,000 parts. Open it in an image program',
    );
  });

  it.each([
    ['an SVG', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>', 'scripts'],
    ['an iPhone photo', '\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'Most Compatible'],
    ['a page', '<!doctype html><title>GIF89a</title>', 'is not a PNG'],
    ['a PDF that contains a picture', `%PDF-1.7 ${png().toString('latin1')}`, 'is not a PNG'],
    ['nothing', '', 'is not a PNG'],
  ])('%s is refused with what to do', (_, text, reason) => {
    expect(() => readImage(Buffer.from(text, 'latin1'))).toThrow(reason);
    expect(() => readImage(Buffer.from(text, 'latin1'))).toThrow(UnsupportedMediaType);
  });

  it('an AVIF whose entries take no bytes is refused, however many it says there are', () => {
    const kinds = box('iinf', '\0\0\0\0\0\x01', box('infe', '\x02\0\0\0\0\x01\0\0av01\0'));
    const places = box('iloc', '\0\0\0\0\0\0\0\x01', '\0\x01\0\0\xff\xff');
    const meta = box('meta', '\0\0\0\0', kinds, places);
    expect(() => readImage(Buffer.concat([AVIF.subarray(0, 32), meta]))).toThrow(
      'more than 10,000 parts',
    );
  });

  it('an AVIF with many tables of properties that overlap is refused', () => {
    const table = box('ipma', '\0\0\0\0\0\x02\x49\xf0');
    const at = AVIF.indexOf('ipma') - 4;
    const end = at + AVIF.readUInt32BE(at);
    const many = Buffer.concat(Array.from({ length: 20 }, () => table));
    const rest = [AVIF.subarray(end), box('free', '\0'.repeat(40_000))];
    const bytes = Buffer.concat([AVIF.subarray(0, end), many, ...rest]);
    for (const name of ['meta', 'iprp']) {
      const size = bytes.indexOf(name) - 4;
      bytes.writeUInt32BE(bytes.readUInt32BE(size) + many.length, size);
    }
    const offset = bytes.indexOf('iloc') + 18;
    bytes.writeUInt32BE(bytes.readUInt32BE(offset) + many.length, offset);
    expect(() => readImage(bytes)).toThrow('it is cut off');
  });

  it('an AVIF with a table that has fewer entries than it says is refused', () => {
    const bytes = Buffer.from(AVIF);
    // The next box, which is no part of the table, would be read as an entry of the item 0.
    bytes.writeUInt32BE(2, bytes.indexOf('ipma') + 8);
    expect(() => readImage(bytes)).toThrow('it is cut off');
  });

  it('an AVIF whose items all take the whole file is refused', () => {
    const kinds = box('iinf', '\0\0\0\0\0\x01', box('infe', '\x02\0\0\0\0\x01\0\0av01\0'));
    const range = '\0\0\0\0\0\0\0\x40';
    const places = box('iloc', '\0\0\0\0\x44\0\0\x01', `\0\x01\0\0\0\x64${range.repeat(100)}`);
    const meta = box('meta', '\0\0\0\0', kinds, places, box('pitm', '\0\0\0\0\0\x01'));
    expect(() => readImage(Buffer.concat([AVIF.subarray(0, 32), meta]))).toThrow(
      'its items overlap',
    );
  });

  it('an AVIF whose items are in a missing idat is refused', () => {
    const kinds = box('iinf', '\0\0\0\0\0\x01', box('infe', '\x02\0\0\0\0\x01\0\0av01\0'));
    const places = box(
      'iloc',
      '\x01\0\0\0\x44\0\0\x01',
      '\0\x01\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x40',
    );
    const rest = AVIF.subarray(AVIF.indexOf('iprp') - 4);
    const properties = rest.subarray(0, rest.readUInt32BE(0));
    const meta = box('meta', '\0\0\0\0', kinds, places, box('pitm', '\0\0\0\0\0\x01'), properties);
    expect(() => readImage(Buffer.concat([AVIF.subarray(0, 32), meta]))).toThrow('idat is missing');
  });

  it('an item of an AVIF whose length is not said ends with the idat that it is in', () => {
    const metadata = Buffer.from(`\0\0\0\0MM\0*${PLACE}`, 'latin1');
    const withIdat = (length: string, offset = '\0') => {
      const kinds = box('iinf', '\0\0\0\0\0\x01', box('infe', '\x02\0\0\0\0\x01\0\0av01\0'));
      const places = box(
        'iloc',
        '\x01\0\0\0\x44\0\0\x01',
        `\0\x01\0\x01\0\0\0\x01\0\0\0${offset}\0\0\0${length}`,
      );
      const rest = AVIF.subarray(AVIF.indexOf('iprp') - 4);
      const properties = rest.subarray(0, rest.readUInt32BE(0));
      const pitm = box('pitm', '\0\0\0\0\0\x01');
      const meta = box(
        'meta',
        '\0\0\0\0',
        kinds,
        places,
        pitm,
        properties,
        box('idat', AVIF.subarray(-29)),
      );
      return Buffer.concat([AVIF.subarray(0, 32), meta, box('mdat', metadata)]);
    };
    const { bytes } = readImage(withIdat('\0'));
    expect(bytes.includes(AVIF.subarray(-29))).toBe(true);
    expect(bytes.includes(PLACE)).toBe(false);
    expect(() => readImage(withIdat('\x1e'))).toThrow('it is cut off');
    // It would take less than nothing, and others could take the whole file many times.
    expect(() => readImage(withIdat('\0', '\x1e'))).toThrow('it is cut off');
  });

  /** The sample with a further box in its description. */
  const avifWith = (more: Buffer) => {
    const size = AVIF.indexOf('meta') - 4;
    const end = size + AVIF.readUInt32BE(size);
    const bytes = Buffer.concat([AVIF.subarray(0, end), more, AVIF.subarray(end)]);
    bytes.writeUInt32BE(end - size + more.length, size);
    const offset = AVIF.indexOf('iloc') + 18;
    bytes.writeUInt32BE(AVIF.readUInt32BE(offset) + more.length, offset);
    return bytes;
  };

  it('an AVIF that is described twice, or says two sizes, is refused', () => {
    expect(() => readImage(avifWith(box('pitm', '\0\0\0\0\0\x02')))).toThrow(
      'it is described twice',
    );
    const bytes = Buffer.from(AVIF);
    bytes.write('ispe', bytes.indexOf('pixi'), 'latin1');
    expect(() => readImage(bytes)).toThrow('it says twice how large it is');
    const other = Buffer.from(AVIF);
    other.write('free', other.indexOf('ipco'), 'latin1');
    expect(() => readImage(other)).toThrow('it has no properties');
  });

  it('a frame of an AVIF whose size is not that of its sequence header, or that has none, is refused', () => {
    // Not reduced, with one operating point.
    const header = sequence(`000 0 0 0 0 ${'0'.repeat(22)}`, 2);
    // Key frames that are shown: one with the size of the header, and one with its own.
    const [frame, other] = ['\x32\x01\x10', '\x32\x01\x14'];
    expect(() => readImage(avifOf('av01', header + frame))).not.toThrow();
    expect(() => readImage(avifOf('av01', header + other))).toThrow(
      'a frame has another size than the others. Save it again without layers',
    );
    expect(() => readImage(avifOf('av01', frame))).toThrow('does not say how large its frames are');
  });

  it('an item of an AVIF that is of two kinds is refused', () => {
    const kinds = ['av01', 'tmap'].map((kind) => box('infe', `\x02\0\0\0\0\x01\0\0${kind}\0`));
    const meta = box('meta', '\0\0\0\0', box('iinf', '\0\0\0\0\0\x02', ...kinds));
    expect(() => readImage(Buffer.concat([AVIF.subarray(0, 32), meta]))).toThrow(
      'an item is of two kinds',
    );
  });

  it('XMP that an AVIF has in its description becomes zeros', () => {
    const bytes = avifWith(box('xml ', `\0\0\0\0${xmp}`));
    const image = readImage(bytes);
    expect(image.bytes.includes(PLACE)).toBe(false);
    expect(image.bytes.length).toBe(bytes.length);
    expect(image.bytes.includes(AVIF.subarray(-29))).toBe(true);
  });

  it('an animated AVIF is refused with what to do', () => {
    const animated = Buffer.from(AVIF);
    animated.write('avis', 8, 'latin1');
    expect(() => readImage(animated)).toThrow('Save it as WebP or GIF');
  });
});
