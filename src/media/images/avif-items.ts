import { checkFrame, cutOff, damaged, ImageError } from './image';

/**
 * What browsers decode may be larger than what the file says beside it: they decode the pixels at their own size, and scale
 * them. @throws ImageError
 */
export function checkItem(kind: string, item: Buffer, count: () => void): void {
  if (kind === 'av01') checkStream(item, count);
  if (kind !== 'grid' && kind !== 'iovl') return;
  // Tiles or overlaid pictures, in a picture of this size.
  const [at, length] = [kind === 'grid' ? 4 : 10, item.readUInt8(1) & 1 ? 4 : 2];
  checkFrame(item.readUIntBE(at, length), item.readUIntBE(at + length, length));
}

const SEQUENCE_HEADER = 1;
/** The header of a frame, alone, with its tiles, or repeated. */
const FRAMES = new Set([3, 6, 7]);
const [KEY_FRAME, SWITCH_FRAME] = [0, 3];

/** The units of an AV1 bitstream (section 5.3 of its specification). */
function checkStream(stream: Buffer, count: () => void): void {
  let sequence: Sequence | undefined;
  for (let at = 0; at < stream.length;) {
    count();
    const head = stream.readUInt8(at);
    at += head & 4 ? 2 : 1;
    let end = stream.length;
    if (head & 2) {
      let length = 0;
      // Seven bits in each byte, the lowest ones first.
      for (let place = 1, byte = 0x80; byte & 0x80; place *= 0x80, at += 1) {
        byte = stream.readUInt8(at);
        length += (byte & 0x7f) * place;
      }
      end = at + length;
    }
    if (!(end <= stream.length)) throw cutOff();
    const type = (head >> 3) & 15;
    const unit = new Bits(stream.subarray(at, end));
    if (type === SEQUENCE_HEADER) sequence = checkSequence(unit);
    else if (FRAMES.has(type) && sequence && hasOwnSize(unit, sequence))
      throw new ImageError(
        'a frame has another size than the others. Save it again without layers',
      );
    at = end;
  }
  // Some decoders would take it from the properties of the item.
  if (!sequence) throw damaged('it does not say how large its frames are');
}

/** Reads bits, the highest one of each byte first. */
class Bits {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  next(length: number): number {
    let value = 0;
    for (const end = this.at + length; this.at < end; this.at += 1)
      value = 2 * value + ((this.bytes.readUInt8(this.at >> 3) >> (7 - (this.at & 7))) & 1);
    return value;
  }

  readonly flag = (): boolean => this.next(1) === 1;
}

/** What the beginning of a frame's header depends on. */
interface Sequence {
  isShort: boolean;
  /** Bits of the time at which a frame is shown. */
  timeLength: number;
  /** Bits of a frame's id. */
  idLength: number;
  /** Whether each frame says if it uses them, or what all do. */
  screenTools: 'by frame' | boolean;
  isMotionByFrame: boolean;
}

/** Reads a sequence header (section 5.5) up to its tools, and checks the size of its largest frame. */
function checkSequence(bits: Bits): Sequence {
  // Profile, and whether it is a still picture.
  bits.next(4);
  const isShort = bits.flag();
  const timeLength = isShort ? 0 : skipOperatingPoints(bits);
  if (isShort) bits.next(5);
  const [wide, high] = [bits.next(4) + 1, bits.next(4) + 1];
  checkFrame(bits.next(wide) + 1, bits.next(high) + 1);
  const short = { isShort, timeLength, idLength: 0 };
  if (isShort) return { ...short, screenTools: 'by frame', isMotionByFrame: true };
  const idLength = bits.flag() ? bits.next(4) + bits.next(3) + 3 : 0;
  bits.next(7);
  const hasOrder = bits.flag();
  if (hasOrder) bits.next(2);
  const screenTools = bits.flag() ? 'by frame' : bits.flag();
  return { ...short, idLength, screenTools, isMotionByFrame: screenTools === false || bits.flag() };
}

/** Reads a frame's header (section 5.9.2) up to whether its size is not that of the sequence: it may then be any. */
function hasOwnSize(bits: Bits, sequence: Sequence): boolean {
  if (sequence.isShort) return false;
  const isShownAgain = bits.flag();
  if (isShownAgain) return false;
  const type = bits.next(2);
  const isShown = bits.flag();
  bits.next(isShown ? sequence.timeLength : 1);
  const isResilient = type === SWITCH_FRAME || (type === KEY_FRAME && isShown);
  bits.next(isResilient ? 1 : 2);
  const { screenTools } = sequence;
  const hasScreenTools = screenTools === 'by frame' ? bits.flag() : screenTools;
  if (hasScreenTools && sequence.isMotionByFrame) bits.next(1);
  bits.next(sequence.idLength);
  return type === SWITCH_FRAME || bits.flag();
}

/** @returns the bits of the time at which a frame is shown */
function skipOperatingPoints(bits: Bits): number {
  let delayLength = 0;
  let timeLength = 0;
  const hasTiming = bits.flag();
  if (hasTiming) {
    bits.next(64);
    const isRegular = bits.flag();
    if (isRegular) {
      let zeros = 0;
      while (!bits.flag()) if (++zeros === 32) throw damaged('its timing is unknown');
      bits.next(zeros);
    }
    const hasDecoderModel = bits.flag();
    if (hasDecoderModel) {
      delayLength = bits.next(5) + 1;
      bits.next(37);
      const length = bits.next(5) + 1;
      timeLength = isRegular ? 0 : length;
    }
  }
  const hasDisplayDelay = bits.flag();
  for (let left = bits.next(5) + 1; left > 0; left -= 1) {
    bits.next(12);
    const hasTier = bits.next(5) > 7;
    if (hasTier) bits.next(1);
    if (delayLength > 0 && bits.flag()) bits.next(2 * delayLength + 1);
    if (hasDisplayDelay && bits.flag()) bits.next(4);
  }
  return timeLength;
}
