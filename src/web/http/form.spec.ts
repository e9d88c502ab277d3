import { numberIn, wholeNumberIn } from './form';

test.each([
  ['600', 600],
  [' 6000 ', 6_000],
  ['6,000', 6_000],
  ['6.000', 6_000],
  ['6 000', 6_000],
  ['6\u00a0000', 6_000],
  ['6’000', 6_000],
  ['1,000,000', 1_000_000],
  ['0', 0],
])('%j is read as the whole number %d', (typed, number) => {
  expect(wholeNumberIn(typed)).toBe(number);
});

test.each([
  '6,5',
  '6.5',
  '6,00',
  '6,0000',
  '60,00',
  '1,000.000',
  '0,600',
  '-6',
  '1e3',
  '0x10',
  'six',
])('the input %j is read as no whole number', (typed) => {
  expect(wholeNumberIn(typed)).toBeNaN();
});

test.each([
  ['1,5', 1.5],
  ['1.25', 1.25],
  [' 2 ', 2],
  ['', null],
  ['0x2', NaN],
  ['1e0', NaN],
  ['Infinity', NaN],
  ['-1', NaN],
])('%j is read as the number %d', (typed, number) => {
  expect(numberIn(typed)).toBe(number);
});

test.each(['', ' '])('the input %j is read as no input', (typed) => {
  expect(wholeNumberIn(typed)).toBeNull();
});
