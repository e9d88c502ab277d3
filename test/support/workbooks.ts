import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP archive of these parts. */
export function zipOf(parts: Record<string, string | Buffer>): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(parts)) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const fields = Buffer.alloc(22);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(data.length, 18);
    const sizes = Buffer.alloc(4);
    sizes.writeUInt16LE(name.length, 0);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([
      Buffer.from('PK\u0003\u0004'),
      fields,
      sizes,
      Buffer.from(name),
      packed,
    ]);
    const version = Buffer.alloc(2);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\u0001\u0002'),
        version,
        fields,
        sizes,
        place,
        Buffer.from(name),
      ]),
    );
    files.push(local);
    at += local.length;
  }
  const all = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(all.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...files, all, Buffer.from('PK\u0005\u0006'), end]);
}

/** An Excel workbook. @param rows the XML of the cells of each row; `parts` further ones */
export const workbook = (
  rows: string[],
  strings: string[] = [],
  more = '',
  parts: Record<string, string> = {},
): Buffer =>
  zipOf({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="Old" state="hidden" r:id="a"/><sheet name="Kahoot" r:id="b"/><sheet name="Notes" r:id="a"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/><Relationship Id="b" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
    'xl/sharedStrings.xml': `<sst>${strings.map((it) => `<si><r><t>${it}</t></r><rPh><t>x</t></rPh></si>`).join('')}</sst>`,
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': '<worksheet/>',
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${rows.map((cells, n) => `<row r="${n + 1}">${cells}</row>`).join('')}</sheetData>${more}</worksheet>`,
    ...parts,
  });
