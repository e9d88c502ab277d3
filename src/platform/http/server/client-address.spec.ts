import { addressKey, addressText } from './client-address';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:C000:0201', '192.0.2.1'],
  ['::1', '::1'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
])('the client address %s is counted as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '::1'],
  ['2001:0DB8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::1'],
  ['localhost', 'unknown'],
  [undefined, 'unknown'],
])('the client address %s is shown as %s', (address, text) => {
  expect(addressText(address)).toBe(text);
});

test.each([undefined, '', 'unknown', '192.0.2.256', '192.0.2.1:80', 'localhost', '[::1]'])(
  'the invalid client address %s is counted with all other invalid ones',
  (address) => {
    expect(addressKey(address)).toBe('unknown');
  },
);
