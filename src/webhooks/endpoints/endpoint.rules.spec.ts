import * as fc from 'fast-check';
import { checkEndpointUrl, isLoopbackHost, isPublicAddress } from './endpoint.rules';

const strict = (text: string) => checkEndpointUrl(text, { allowInsecure: false });
/** As outside production. */
const laptop = (text: string) =>
  checkEndpointUrl(text, { allowInsecure: false, allowLoopback: true });
const open = (text: string) => checkEndpointUrl(text, { allowInsecure: true });
const ruleOf = (text: string) => {
  const check = strict(text);
  return check.ok ? 'ok' : check.rule;
};

describe('an endpoint URL', () => {
  it.each([
    ['https://hooks.example.com/quiz?a=1&b=2', 'https://hooks.example.com/quiz?a=1&b=2'],
    ['  https://hooks.example.com  ', 'https://hooks.example.com/'],
    ['HTTPS://Hooks.Example.COM:443/', 'https://hooks.example.com/'],
    ['https://hooks.example.com./x#part', 'https://hooks.example.com/x'],
    ['https://bücher.example.com/ü', 'https://xn--bcher-kva.example.com/%C3%BC'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ['https://mylocal.com/', 'https://mylocal.com/'],
  ])('an endpoint URL is accepted in normal form: %s', (text, href) => {
    const check = strict(text);
    expect(check.ok && check.url.href).toBe(href);
  });

  it.each([
    ['', 'malformed'],
    ['hooks.example.com', 'malformed'],
    ['/quiz', 'malformed'],
    ['https://', 'malformed'],
    ['https://./', 'malformed'],
    ['https://a..example.com../', 'malformed'],
    ['https://exa mple.com/', 'malformed'],
    ['https://exa\tmple.com/', 'malformed'],
    ['https://example.com/\r\nHost: x', 'malformed'],
    ['https://example.com/\0', 'malformed'],
    ['https://256.1.1.1/', 'malformed'],
    [`https://example.com/${'a'.repeat(2048)}`, 'too_long'],
    [`https://example.com/${'ü'.repeat(500)}`, 'too_long'],
    ['http://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['https://user@example.com/', 'user_info'],
    ['https://user:pw@example.com/', 'user_info'],
    ['https://example.com:8443/', 'port'],
    ['https://example.com:80/', 'port'],
    ['https://localhost/', 'host_name'],
    ['https://LOCALHOST./', 'host_name'],
    ['https://app.localhost/', 'host_name'],
    ['https://printer.local/', 'host_name'],
    ['https://metadata.google.internal/', 'host_name'],
    ['https://router.lan/', 'host_name'],
    ['https://nas.home.arpa/', 'host_name'],
    ['https://nas.home/', 'host_name'],
    ['https://host.localdomain/', 'host_name'],
    ['https://wiki.intranet/', 'host_name'],
    ['https://wiki.private/', 'host_name'],
    ['https://wiki.corp/', 'host_name'],
    ['https://hooks.test/', 'host_name'],
    ['https://hooks.invalid/', 'host_name'],
    ['https://hooks.example/', 'host_name'],
    ['https://hooks.onion/', 'host_name'],
    ['https://redis/', 'host_name'],
    ['https://ｌｏｃａｌｈｏｓｔ/', 'host_name'],
  ])('an endpoint URL is refused by its rule: %j is %s', (text, rule) =>
    expect(ruleOf(text)).toBe(rule),
  );

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f000001/',
    'https://127。0。0。1/',
    'https://１２７.0.0.1/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https:\\\\127.0.0.1\\',
    'https:127.0.0.1',
    'https://0/',
    'https://169.254.169.254/latest/meta-data',
    'https://0xa9fea9fe/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://168.63.129.16/',
  ])('an endpoint URL is refused for its address in any notation: %s', (text) => {
    expect(ruleOf(text)).toBe('address');
  });

  it('the error of an endpoint URL names WEBHOOK_ALLOW_INSECURE only where that setting would help', () => {
    const helped = ['http://example.com/', 'https://localhost/', 'https://10.0.0.1/'];
    for (const text of [...helped, 'https://example.com:8443/']) {
      expect(strict(text)).toMatchObject({
        message: expect.stringContaining('WEBHOOK_ALLOW_INSECURE') as string,
      });
      expect(open(text).ok).toBe(true);
    }
    for (const text of ['', 'https://u@example.com/', `https://example.com/${'a'.repeat(2048)}`]) {
      const check = strict(text);
      expect(!check.ok && check.message).not.toContain('WEBHOOK_ALLOW_INSECURE');
      expect(open(text).ok).toBe(false);
    }
  });

  it.each([
    ['malformed', 'hooks', 'such as https://hooks.example.com/quiz-events.'],
    ['too_long', `https://example.com/${'a'.repeat(2048)}`, 'characters: use a shorter one.'],
    ['scheme', 'http://example.com/', 'must start with https://.'],
    ['user_info', 'https://u:p@example.com/', 'or password: remove what stands before the @.'],
    ['port', 'https://example.com:8443/', 'must use port 443.'],
    ['host_name', 'https://router.lan/', 'network: use a host on the public internet.'],
    ['address', 'https://10.0.0.1/', 'is not a public internet address: use one that is.'],
  ])('the error of an endpoint URL says what to do in production: %s', (rule, text, advice) => {
    const message = expect.stringContaining(advice) as string;
    expect(strict(text)).toMatchObject({ rule, message });
  });

  it('WEBHOOK_ALLOW_INSECURE allows only http and https URLs without user info', () => {
    expect(open('http://127.0.0.1:3000/hook#x')).toMatchObject({
      ok: true,
      url: new URL('http://127.0.0.1:3000/hook'),
    });
    for (const text of ['file:///etc/passwd', 'ftp://localhost/', 'http://u:p@localhost/']) {
      expect(open(text).ok).toBe(false);
    }
  });
});

describe('an endpoint URL outside production', () => {
  it.each([
    ['http://localhost:4000/hook', 'http://localhost:4000/hook'],
    ['http://LOCALHOST.:4000/', 'http://localhost:4000/'],
    ['https://localhost/', 'https://localhost/'],
    ['http://127.0.0.1/', 'http://127.0.0.1/'],
    ['https://127.0.0.1:8443/', 'https://127.0.0.1:8443/'],
    ['http://127.1.2.3:1/', 'http://127.1.2.3:1/'],
    ['http://2130706433:4000/', 'http://127.0.0.1:4000/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://１２７.0.0.1/', 'http://127.0.0.1/'],
    ['http://[::1]:4000/', 'http://[::1]:4000/'],
    ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]/'],
  ])('%s is this machine and is accepted', (text, href) => {
    const check = laptop(text);
    expect(check.ok && check.url.href).toBe(href);
    expect(strict(text).ok).toBe(false);
  });

  it.each([
    ['http://10.0.0.1/', 'scheme'],
    ['https://10.0.0.1/', 'address'],
    ['https://192.168.1.10/', 'address'],
    ['https://172.16.0.1/', 'address'],
    ['https://169.254.169.254/latest/meta-data', 'address'],
    ['https://168.63.129.16/', 'address'],
    ['https://0.0.0.0/', 'address'],
    ['https://0/', 'address'],
    ['https://128.0.0.1:80/', 'port'],
    ['https://[::]/', 'address'],
    ['https://[::ffff:127.0.0.1]/', 'address'],
    ['https://[::127.0.0.1]/', 'address'],
    ['https://[64:ff9b::7f00:1]/', 'address'],
    ['https://[fe80::1]/', 'address'],
    ['https://[fd00::1]/', 'address'],
    ['https://app.localhost/', 'host_name'],
    ['https://localhost.localdomain/', 'host_name'],
    ['https://redis/', 'host_name'],
    ['https://host.docker.internal/', 'host_name'],
    ['http://localhost.example.com/', 'scheme'],
    ['http://127.0.0.1.example.com/', 'scheme'],
    ['http://hooks.example.com/', 'scheme'],
    ['https://hooks.example.com:8443/', 'port'],
    ['ftp://localhost/', 'scheme'],
    ['https://user:pw@localhost/', 'user_info'],
  ])('%s is not this machine and is refused (%s), as in production', (text, rule) => {
    const check = laptop(text);
    expect(check.ok ? 'ok' : check.rule).toBe(rule);
    expect(ruleOf(text)).toBe(rule);
  });

  it('the error says how to name this machine, and which switch allows other hosts', () => {
    for (const text of ['http://redis/', 'https://redis/', 'https://10.0.0.1/']) {
      const check = laptop(text);
      expect(!check.ok && check.message).toMatch(/machine.*localhost, 127\.0\.0\.1 or \[::1\]/);
      expect(!check.ok && check.message).toContain('WEBHOOK_ALLOW_INSECURE=true');
      const inProduction = strict(text);
      expect(!inProduction.ok && inProduction.message).not.toContain('this machine');
    }
  });

  it('no IPv4 address outside 127.0.0.0/8 is this machine, in any notation', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.constantFrom(...v4Notations), (ip, notation) => {
        const host = new URL(`http://${notation(ip)}/`).hostname.replace(/\.$/, '');
        const isPlain = !host.startsWith('[');
        // 0.0.0.1 in IPv6's notation is ::1.
        const isThisMachine = isPlain ? ip >>> 24 === 127 : host === '[::1]';
        expect(isLoopbackHost(host)).toBe(isThisMachine);
      }),
    );
  });
});

/** The four octets and the prefix length of each block: those of IANA's special-purpose registry that cannot be reached globally, and multicast. */
const PRIVATE_V4: [number, number, number, number, number][] = [
  [0, 0, 0, 0, 8],
  [10, 0, 0, 0, 8],
  [100, 64, 0, 0, 10],
  [127, 0, 0, 0, 8],
  [169, 254, 0, 0, 16],
  [172, 16, 0, 0, 12],
  [192, 0, 0, 0, 24],
  [192, 0, 2, 0, 24],
  [192, 88, 99, 0, 24],
  [192, 168, 0, 0, 16],
  [198, 18, 0, 0, 15],
  [198, 51, 100, 0, 24],
  [203, 0, 113, 0, 24],
  [224, 0, 0, 0, 4],
  [240, 0, 0, 0, 4],
];

const privateV4 = fc
  .tuple(fc.constantFrom(...PRIVATE_V4), fc.nat(0xffffffff))
  .map(([[a, b, c, d, bits], low]) => {
    const base = ((a * 256 + b) * 256 + c) * 256 + d;
    return base + (low % 2 ** (32 - bits));
  });

const octets = (ip: number) => [24, 16, 8, 0].map((shift) => Math.floor(ip / 2 ** shift) % 256);
const hex = (ip: number) => ip.toString(16).padStart(8, '0');

/** Every way to write an IPv4 address that the URL parser, or some resolver, understands. */
const v4Notations: ((ip: number) => string)[] = [
  (ip) => octets(ip).join('.'),
  (ip) => String(ip),
  (ip) => `0x${ip.toString(16)}`,
  (ip) => `0${ip.toString(8)}`,
  (ip) =>
    octets(ip)
      .map((octet) => `0x${octet.toString(16)}`)
      .join('.'),
  (ip) =>
    octets(ip)
      .map((octet) => `0${octet.toString(8)}`)
      .join('.'),
  (ip) => `${Math.floor(ip / 2 ** 24)}.${ip % 2 ** 24}`,
  (ip) => octets(ip).join('。'),
  (ip) => octets(ip).join('．'),
  (ip) =>
    [...octets(ip).join('.')]
      .map((c) => (c === '.' ? c : String.fromCharCode(c.charCodeAt(0) + 0xfee0)))
      .join(''),
  (ip) => `${octets(ip).join('.')}.`,
  (ip) => `[::ffff:${octets(ip).join('.')}]`,
  (ip) => `[::${octets(ip).join('.')}]`,
  (ip) => `[64:ff9b::${octets(ip).join('.')}]`,
  (ip) => `[64:ff9b:1::${octets(ip).join('.')}]`,
  (ip) => `[2002:${hex(ip).slice(0, 4)}:${hex(ip).slice(4)}::1]`,
  (ip) => `[::ffff:0:${octets(ip).join('.')}]`,
  (ip) =>
    `[2001:0:4136:e378:8000:63bf:${hex((ip ^ -1) >>> 0).slice(0, 4)}:${hex((ip ^ -1) >>> 0).slice(4)}]`,
];

describe('the address guard', () => {
  it('the address guard refuses private IPv4 addresses in any notation', () => {
    fc.assert(
      fc.property(privateV4, fc.constantFrom(...v4Notations), (ip, notation) => {
        expect(strict(`https://${notation(ip)}/`).ok).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it('the address guard accepts every public IPv4 address', () => {
    const isPrivate = (ip: number) =>
      PRIVATE_V4.some(([a, b, c, d, bits]) => {
        const base = ((a * 256 + b) * 256 + c) * 256 + d;
        return ip >= base && ip < base + 2 ** (32 - bits);
      });
    const azure = '168.63.129.16';
    // Also the addresses beside the blocks.
    const edges = PRIVATE_V4.flatMap(([a, b, c, d, bits]) => {
      const base = ((a * 256 + b) * 256 + c) * 256 + d;
      return [base - 1, base + 2 ** (32 - bits)].filter((ip) => ip >= 0 && ip < 2 ** 32);
    });
    fc.assert(
      fc.property(fc.oneof(fc.nat(0xffffffff), fc.constantFrom(...edges)), (ip) => {
        const address = octets(ip).join('.');
        fc.pre(!isPrivate(ip) && address !== azure);
        expect(isPublicAddress(address)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('the address guard refuses IPv6 addresses outside 2000::/3', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const first = ip.startsWith('::') ? 0 : parseInt(ip.split(':')[0]!, 16);
        if (first >>> 13 !== 1) expect(isPublicAddress(ip)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['6to4', '2002:808:808::1'],
    ['Teredo', '2001::1'],
    ['NAT64', '64:ff9b::808:808'],
    ['local NAT64', '64:ff9b:1::808:808'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:8.8.8.8'],
    ['unique local', 'fd12::1'],
    ['link local', 'fe80::1'],
    ['link local with a zone', 'fe80::1%eth0'],
    ['site local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['discard', '100::1'],
    ['segment routing', '5f00::1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['broadcast', '255.255.255.255'],
    ['no address at all', 'example.com'],
    ['an empty text', ''],
    ['octal, which a resolver never answers', '0177.0.0.1'],
  ])('the address guard calls %s not public: %s', (_what, address) =>
    expect(isPublicAddress(address)).toBe(false),
  );

  it.each([
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('the address guard calls %s public', (address) => expect(isPublicAddress(address)).toBe(true));
});
