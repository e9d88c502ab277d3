import { checkItem } from './avif-items';
import {
  checkFrame,
  checkSides,
  cutOff,
  damaged,
  type Image,
  ImageError,
  partCounter,
} from './image';

/** A box of ISO 14496-12: its type, where it begins, and where its content does. */
interface Box {
  type: string;
  start: number;
  content: number;
  end: number;
}

/** The boxes of a file: with another one, something else has begun. */
const OF_FILES = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip', 'uuid']);

/** The boxes of `meta` that say what is shown; others hold XMP and the like. */
const DESCRIPTION = new Set(['hdlr', 'dinf', 'pitm', 'iloc', 'iinf', 'iref', 'iprp', 'grpl']);

/** The kinds of items that are pictures or parts of them; others are EXIF, XMP and the like. */
const PICTURES = new Set(['av01', 'grid', 'iovl', 'tmap']);

const brandsOf = (bytes: Buffer): string[] | null => {
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  const text = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 1_024));
  return text.match(/[^]{4}/g) ?? [];
};

export const isAvif = (bytes: Buffer): boolean =>
  brandsOf(bytes)?.some((brand) => brand === 'avif' || brand === 'avis') ?? false;

/** A photo of an iPhone, of which no browser but Safari shows anything. */
export const isHeic = (bytes: Buffer): boolean =>
  brandsOf(bytes)?.some((brand) => /^(?:hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand)) ?? false;

/**
 * Items refer to their bytes by position, so nothing is cut out: what belongs to no picture becomes zeros. What follows
 * the last box is left out. @throws ImageError
 */
export function readAvif(bytes: Buffer): Image {
  if (brandsOf(bytes)?.includes('avis'))
    throw new ImageError('it is an animation. Save it as WebP or GIF, or save one picture of it');
  // Entries of tables may take no bytes of the file, so its length does not limit them.
  const count = partCounter();
  const boxes = boxesIn(bytes, 0, bytes.length, count, true);
  const end = boxes.at(-1)?.end ?? 0;
  const meta = boxes.find(({ type }) => type === 'meta');
  if (!meta) throw damaged('it has no description');
  const described = boxesIn(bytes, meta.content + 4, meta.end, count);
  const parts = new Map(described.map((box) => [box.type, box] as const));
  if (described.some((box) => DESCRIPTION.has(box.type) && parts.get(box.type) !== box))
    throw damaged('it is described twice');
  const part = (type: string): Box => {
    const box = parts.get(type);
    if (!box) throw damaged(`${type} is missing`);
    return box;
  };
  const kinds = kindsOf(bytes, part('iinf'), count);
  const cleaned = Buffer.alloc(end);
  let copied = 0;
  /** @param most the end of what the bytes are in */
  const copy = (from: number, to: number, most = end) => {
    // A part without a length may begin behind the end, and would take bytes off the sum below.
    if (from > to || to > most) throw cutOff();
    copied += to - from;
    if (copied > 2 * end) throw damaged('its items overlap');
    bytes.copy(cleaned, from, from, to);
  };
  /** Keeps the place of a box, and nothing of what it contains. */
  const empty = ({ start, content }: Box) => {
    copy(start, content);
    cleaned.write('free', start + 4, 'latin1');
  };
  for (const box of boxes)
    if (box.type === 'ftyp') copy(box.start, box.end);
    else if (box.type === 'mdat') copy(box.start, box.content);
    else if (box !== meta) empty(box);
  copy(meta.start, meta.content + 4);
  for (const box of described)
    if (box.type === 'idat') copy(box.start, box.content);
    else if (DESCRIPTION.has(box.type)) copy(box.start, box.end);
    else empty(box);
  const items: [kind: string, parts: Buffer[]][] = [];
  for (const { id, isInside, ranges } of placesOf(bytes, part('iloc'), count)) {
    const kind = kinds.get(id) ?? '';
    if (!PICTURES.has(kind)) continue;
    const item = ranges.map(([offset, length]) => {
      const within = isInside ? part('idat') : { content: 0, end };
      const from = within.content + offset;
      const to = length === 0 ? within.end : from + length;
      if (length === 0 && ranges.length > 1) throw damaged('a part has no length');
      copy(from, to, within.end);
      return bytes.subarray(from, to);
    });
    items.push([kind, item]);
  }
  // First: the refusal of a large picture says its size, not that of a part.
  const size = sizeOf(bytes, part('pitm'), part('iprp'), count);
  for (const [kind, item] of items) checkItem(kind, Buffer.concat(item), count);
  return { type: 'image/avif', ...size, bytes: cleaned };
}

type Count = ReturnType<typeof partCounter>;

/** @param isFile what is no box at its end is no error */
function boxesIn(bytes: Buffer, from: number, to: number, count: Count, isFile = false): Box[] {
  const boxes: Box[] = [];
  for (let start = from; start < to;) {
    if (isFile && to - start < 8) break;
    const type = bytes.toString('latin1', start + 4, start + 8);
    if (isFile && !OF_FILES.has(type)) break;
    count();
    const short = bytes.readUInt32BE(start);
    const length = short === 1 ? Number(bytes.readBigUInt64BE(start + 8)) : short || to - start;
    const content = start + (short === 1 ? 16 : 8);
    const end = start + length;
    if (end > to) throw cutOff();
    if (end < content) throw damaged('a box is shorter than its head');
    boxes.push({ type, start, content, end });
    start = end;
  }
  return boxes;
}

/** Reads numbers of 0 to 8 bytes one after the other, from the fifth byte of a box to its end. */
class Numbers {
  private readonly bytes: Buffer;
  private at = 4;

  constructor(bytes: Buffer, { content, end }: Box) {
    this.bytes = bytes.subarray(content, end);
  }

  next(length: number): number {
    const { at } = this;
    this.at += length;
    if (length === 0) return 0;
    if (length > 6) return Number(this.bytes.readBigUInt64BE(at));
    return this.bytes.readUIntBE(at, length);
  }
}

/** The version of a box whose content begins with one. */
const versionOf = (bytes: Buffer, { content }: Box) => bytes.readUInt8(content);

/** What each item is. */
function kindsOf(bytes: Buffer, iinf: Box, count: Count): Map<number, string> {
  const size = versionOf(bytes, iinf) === 0 ? 2 : 4;
  const items = boxesIn(bytes, iinf.content + 4 + size, iinf.end, count);
  const kinds = new Map(
    items.map((infe) => {
      const wide = versionOf(bytes, infe) > 2;
      const id = bytes.readUIntBE(infe.content + 4, wide ? 4 : 2);
      const kind = infe.content + (wide ? 10 : 8);
      return [id, bytes.toString('latin1', kind, kind + 4)];
    }),
  );
  // A decoder may take it for what is checked less.
  if (kinds.size < items.length) throw damaged('an item is of two kinds');
  return kinds;
}

interface Place {
  id: number;
  /** In the box `idat`; else in the file. */
  isInside: boolean;
  ranges: [offset: number, length: number][];
}

/** Where the bytes of each item are. */
function placesOf(bytes: Buffer, iloc: Box, count: Count): Place[] {
  const version = versionOf(bytes, iloc);
  const numbers = new Numbers(bytes, iloc);
  const sizes = numbers.next(2);
  const [offsetSize, lengthSize, baseSize, indexSize] = [12, 8, 4, 0].map(
    (shift) => (sizes >> shift) & 15,
  ) as [number, number, number, number];
  if ([offsetSize, lengthSize, baseSize, indexSize].some((size) => ![0, 4, 8].includes(size)))
    throw damaged('iloc is unknown');
  const places: Place[] = [];
  for (let items = numbers.next(version < 2 ? 2 : 4); items > 0; items -= 1) {
    count();
    const id = numbers.next(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : numbers.next(2) & 15;
    if (method > 1) throw damaged('an item is part of another one');
    numbers.next(2);
    const base = numbers.next(baseSize);
    const ranges: Place['ranges'] = [];
    for (let left = numbers.next(2); left > 0; left -= 1) {
      count();
      if (version > 0) numbers.next(indexSize);
      const offset = base + numbers.next(offsetSize);
      ranges.push([offset, numbers.next(lengthSize)]);
    }
    places.push({ id, isInside: method === 1, ranges });
  }
  return places;
}

/** Of the item that is shown, by the properties that are associated with it; turned as it says. */
function sizeOf(
  bytes: Buffer,
  pitm: Box,
  iprp: Box,
  count: Count,
): { width: number; height: number } {
  const primary = bytes.readUIntBE(pitm.content + 4, versionOf(bytes, pitm) === 0 ? 2 : 4);
  const [ipco, ...tables] = boxesIn(bytes, iprp.content, iprp.end, count);
  if (ipco?.type !== 'ipco') throw damaged('it has no properties');
  const properties = boxesIn(bytes, ipco.content, ipco.end, count);
  const used = tables
    .filter(({ type }) => type === 'ipma')
    .flatMap((ipma) => associationsIn(bytes, ipma, primary, count));
  const found = used.flatMap((index) => properties[index - 1] ?? []);
  const [size, another] = found.filter(({ type }) => type === 'ispe');
  if (!size) throw damaged('it does not say how large it is');
  if (another) throw damaged('it says twice how large it is');
  const rotation = found.find(({ type }) => type === 'irot');
  const isTurned = rotation ? bytes.readUInt8(rotation.content) % 2 === 1 : false;
  const [width, height] = sidesIn(bytes, size);
  const shown = isTurned ? { width: height, height: width } : { width, height };
  checkSides(shown);
  // Those of tiles and other parts.
  for (const it of properties)
    if (it.type === 'ispe' && it !== size) checkFrame(...sidesIn(bytes, it));
  return shown;
}

const sidesIn = (bytes: Buffer, { content }: Box): [width: number, height: number] => [
  bytes.readUInt32BE(content + 4),
  bytes.readUInt32BE(content + 8),
];

/** The numbers of the item's properties, from 1. */
function associationsIn(bytes: Buffer, ipma: Box, item: number, count: Count): number[] {
  const head = bytes.readUInt32BE(ipma.content);
  const isWide = (head & 1) === 1;
  const numbers = new Numbers(bytes, ipma);
  const found: number[] = [];
  for (let entries = numbers.next(4); entries > 0; entries -= 1) {
    count();
    const id = numbers.next(head >>> 24 === 0 ? 2 : 4);
    for (let left = numbers.next(1); left > 0; left -= 1) {
      count();
      const index = isWide ? numbers.next(2) & 0x7fff : numbers.next(1) & 0x7f;
      if (id === item) found.push(index);
    }
  }
  return found;
}
