import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerDifferences, readRecording, writeRecording } from './answers.ts';

const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"a":1,"b":[1]}' };

test('what is written to a file is read from it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kagami-answers-'));
  const recording = { ledger: 'one', seed: 'a', requests: [{ route: '/r', url: '/r?x=ä', answer }] };
  try {
    await writeRecording(join(folder, 'file'), recording);
    expect(await readRecording(join(folder, 'file'))).toEqual(recording);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('equal answers have no difference', () => {
  expect(answerDifferences(answer, { ...answer })).toEqual([]);
});

test('a difference is told by its place', () => {
  expect(answerDifferences(answer, { ...answer, status: 404, body: '{"a":1,"b":[2]}' })).toEqual([
    'status: expected 200, got 404',
    '$.b[0]: expected 1, got 2',
  ]);
  expect(answerDifferences(answer, { ...answer, headers: { link: '<x>' } })).toEqual([
    'header content-type: expected application/json, got none',
    'header link: expected none, got <x>',
  ]);
});

test('texts that mean the same differ all the same', () => {
  expect(answerDifferences(answer, { ...answer, body: '{"b":[1],"a":1}' })).toEqual([
    String.raw`body, character 2: expected "{\"a\":1,\"b\":[1]}", got "{\"b\":[1],\"a\":1}"`,
  ]);
});
