import { randomInt } from 'node:crypto';

const KINDS =
  'Brave Bright Calm Cheerful Clever Curious Eager Gentle Happy Jolly Keen Lively Lucky Merry Nimble Patient Quick Quiet Swift Witty';
const ANIMALS =
  'Badger Beaver Bison Crane Dolphin Falcon Fox Hare Hedgehog Heron Ibex Koala Lynx Magpie Marten Otter Owl Panda Puffin Raven Robin Seal Squirrel Stork Swallow Tapir Tortoise Turtle Walrus Wombat';

/** Two words for who gives no name: `Curious Heron`. */
export function guestName(pick: (count: number) => number = randomInt): string {
  return [KINDS, ANIMALS]
    .map((words) => words.split(' '))
    .map((words) => words[pick(words.length)])
    .join(' ');
}
