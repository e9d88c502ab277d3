/**
 * The entities of HTML 4.01 as PHP's `htmlentities` writes them, which OpenTDB uses: other characters stay as they are.
 * Libraries write the 2,200 names of HTML 5, which older clients do not decode.
 */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** From U+0391; `-` has no name. */
const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi ' +
  'Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma ' +
  'tau upsilon phi chi psi omega - - - - - - - thetasym upsih - - - piv';

const OTHERS =
  '22:quot 26:amp 27:#039 3c:lt 3e:gt 152:OElig 153:oelig 160:Scaron 161:scaron 178:Yuml 192:fnof 2c6:circ 2dc:tilde ' +
  '2002:ensp 2003:emsp 2009:thinsp 200c:zwnj 200d:zwj 200e:lrm 200f:rlm 2013:ndash 2014:mdash 2018:lsquo 2019:rsquo ' +
  '201a:sbquo 201c:ldquo 201d:rdquo 201e:bdquo 2020:dagger 2021:Dagger 2022:bull 2026:hellip 2030:permil 2032:prime ' +
  '2033:Prime 2039:lsaquo 203a:rsaquo 203e:oline 2044:frasl 20ac:euro 2111:image 2118:weierp 211c:real 2122:trade ' +
  '2135:alefsym 2190:larr 2191:uarr 2192:rarr 2193:darr 2194:harr 21b5:crarr 21d0:lArr 21d1:uArr 21d2:rArr 21d3:dArr ' +
  '21d4:hArr 2200:forall 2202:part 2203:exist 2205:empty 2207:nabla 2208:isin 2209:notin 220b:ni 220f:prod 2211:sum ' +
  '2212:minus 2217:lowast 221a:radic 221d:prop 221e:infin 2220:ang 2227:and 2228:or 2229:cap 222a:cup 222b:int 2234:there4 ' +
  '223c:sim 2245:cong 2248:asymp 2260:ne 2261:equiv 2264:le 2265:ge 2282:sub 2283:sup 2284:nsub 2286:sube 2287:supe ' +
  '2295:oplus 2297:otimes 22a5:perp 22c5:sdot 2308:lceil 2309:rceil 230a:lfloor 230b:rfloor 2329:lang 232a:rang 25ca:loz ' +
  '2660:spades 2663:clubs 2665:hearts 2666:diams';

const inOrder = (names: string, first: number): [string, string][] =>
  names
    .split(' ')
    .map((name, index): [string, string] => [String.fromCodePoint(first + index), name])
    .filter(([, name]) => name !== '-');

const NAMES = new Map<string, string>([
  ...inOrder(LATIN, 0xa0),
  ...inOrder(GREEK, 0x391),
  ...OTHERS.split(' ').map((entry): [string, string] => {
    const [code = '', name = ''] = entry.split(':');
    return [String.fromCodePoint(parseInt(code, 16)), name];
  }),
]);

export const htmlEntities = (text: string): string =>
  text.replace(/["&'<>]|[^\p{ASCII}]/gu, (character) => {
    const name = NAMES.get(character);
    return name === undefined ? character : `&${name};`;
  });
