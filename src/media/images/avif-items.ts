import { checkFrame, cutOff, damaged } from './image';

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

/** The units of an AV1 bitstream (section 5.3 of its specification). */
function checkStream(stream: Buffer, count: () => void): void {
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
    if (((head >> 3) & 15) === SEQUENCE_HEADER) checkSequence(new Bits(stream.subarray(at, end)));
    at = end;
  }
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

/** Reads a sequence header (section 5.5) up to the size of its largest frame. */
function checkSequence(bits: Bits): void {
  // Profile, and whether it is a still picture.
  bits.next(4);
  const isShort = bits.flag();
  if (isShort) bits.next(5);
  else skipOperatingPoints(bits);
  const [wide, high] = [bits.next(4) + 1, bits.next(4) + 1];
  checkFrame(bits.next(wide) + 1, bits.next(high) + 1);
}

function skipOperatingPoints(bits: Bits): void {
  let delayLength = 0;
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
      bits.next(42);
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
}
