import { expect, it } from 'vitest';
import { Fitness } from './fitness.ts';

const fitness = () => {
  let now = 1_000;
  const subject = new Fitness(() => now);
  return { subject, pass: (milliseconds: number) => (now += milliseconds) };
};

const praise = (subject: Fitness, times: number): void => {
  for (let i = 0; i < times; i++) subject.praise('a');
};

it('takes what is not known, and keeps it off after it was long once', () => {
  const { subject, pass } = fitness();
  expect(subject.isFit('a')).toBe(true);
  subject.blame('a');
  expect([subject.isFit('a'), subject.isFit('b')]).toEqual([false, true]);
  pass(249);
  expect(subject.isFit('a')).toBe(false);
  pass(1);
  expect(subject.isFit('a')).toBe(true);
});

it('keeps off twice as long each time, up to half a minute', () => {
  const { subject, pass } = fitness();
  const pauses: number[] = [];
  for (let i = 0; i < 10; i++) {
    subject.blame('a');
    let pause = 0;
    while (!subject.isFit('a')) {
      pass(50);
      pause += 50;
    }
    pauses.push(pause);
  }
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
});

it('forgives what is long once in a while', () => {
  const { subject } = fitness();
  for (let i = 0; i < 10; i++) {
    praise(subject, 20);
    subject.blame('a');
    expect(subject.isFit('a')).toBe(true);
  }
  praise(subject, 19);
  subject.blame('a');
  expect(subject.isFit('a')).toBe(false);
});

it('lets nobody save up for more than two', () => {
  const { subject } = fitness();
  praise(subject, 1_000);
  subject.blame('a');
  subject.blame('a');
  expect(subject.isFit('a')).toBe(true);
  subject.blame('a');
  expect(subject.isFit('a')).toBe(false);
});

it('begins with short pauses again after a long time of good conduct', () => {
  const { subject, pass } = fitness();
  for (let i = 0; i < 5; i++) subject.blame('a');
  pass(32_000);
  praise(subject, 40);
  for (let i = 0; i < 3; i++) subject.blame('a');
  pass(250);
  expect(subject.isFit('a')).toBe(true);
});

it('keeps what it is told to off at once, whatever it has earned', () => {
  const { subject } = fitness();
  praise(subject, 40);
  subject.refuse('a');
  expect(subject.isFit('a')).toBe(false);
});

it('remembers a bounded number', () => {
  const { subject } = fitness();
  subject.blame('a');
  for (let i = 0; i < 2_000; i++) subject.praise(`other ${i}`);
  expect(subject.isFit('a')).toBe(true);
});
