/** Runs every byte vector that clients of mirror nodes test against, where the facts are there (`rosetta-vectors.json`). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { hbar, openRosetta, type RosettaFixture } from './testing/rosetta.fixture.ts';

const path = join(import.meta.dirname, '../../../shared/reference/rosetta-vectors.json');

interface ParseVector {
  readonly transaction: string;
  readonly signed: boolean;
  readonly operations?: readonly { readonly type: string; readonly account: string; readonly amount: string }[];
  readonly signers: readonly string[];
  readonly metadata: object;
}

interface PayloadsVector {
  readonly metadata: object;
  readonly payer: string;
  readonly unsigned_transaction: string;
  readonly payload_bytes?: string;
}

interface FailureVector {
  readonly transaction: string;
  readonly error_code: number;
}

interface Vectors {
  readonly about: string;
  readonly alias: { readonly public_key_hex: string; readonly curve_type: string; readonly derived_address: string };
  readonly combine: {
    readonly unsigned_transaction: string;
    readonly public_key_hex: string;
    readonly signature_type: string;
    readonly signature_hex: string;
    readonly signed_transaction: string;
  };
  readonly hash: { readonly signed_transaction: string; readonly hash: string };
  readonly parse: readonly ParseVector[];
  readonly payloads: readonly PayloadsVector[];
  readonly invalid_type_transaction: FailureVector;
  readonly undecodable: FailureVector;
  readonly unparseable: FailureVector;
}

let target: TestDatabase;
let rosetta: RosettaFixture;

beforeAll(async () => {
  target = await createTestDatabase();
  rosetta = await openRosetta(target.database);
});

afterAll(async () => {
  await rosetta?.stop();
  await target?.drop();
});

const ask = async (name: string, request: object): Promise<Record<string, unknown>> =>
  (await rosetta.ask(`/construction/${name}`, request)).body;

const bySize = (operations: readonly { readonly amount: { readonly value: string } }[]) =>
  operations.toSorted((a, b) => Number(a.amount.value) - Number(b.amount.value));

const runParse = async ({ transaction, signed, operations, signers, metadata }: ParseVector): Promise<void> => {
  const parsed = await ask('parse', { signed, transaction });
  expect(parsed).toMatchObject({ account_identifier_signers: signers.map((address) => ({ address })), metadata });
  expect(Object.keys(parsed.metadata as object)).toEqual(Object.keys(metadata));
  if (operations === undefined) return;
  expect(bySize(parsed.operations as never)).toMatchObject(
    bySize(
      operations.map(({ type, account, amount }) => ({ type, account: { address: account }, amount: hbar(amount) })),
    ),
  );
};

const EMPTY_TRANSFER = '72020a00';
const EMPTY_SIGNATURES = '1200';

/** Body bytes within `unsigned_transaction`: three messages around them, each shorter than 128 bytes. */
const bodyIn = (transaction: string): string => transaction.slice('0x0aNN2aNN0aNN'.length, -EMPTY_SIGNATURES.length);

/**
 * The vectors were made with a transfer of nothing, which no request can ask for: everything before the transfers is
 * compared, and what surrounds the body.
 */
const runPayloads = async ({ metadata, payer, unsigned_transaction, payload_bytes }: PayloadsVector): Promise<void> => {
  const expected = bodyIn(unsigned_transaction);
  expect(expected.endsWith(EMPTY_TRANSFER)).toBe(true);
  if (payload_bytes !== undefined) expect(payload_bytes).toBe(expected);
  const operations = [payer, '0.0.123518'].map((address, index) => ({
    operation_identifier: { index },
    type: 'CRYPTOTRANSFER',
    account: { address },
    amount: hbar(index === 0 ? '-1000' : '1000'),
  }));
  const answer = await ask('payloads', { operations, metadata });
  const [payload] = answer.payloads as readonly { readonly hex_bytes: string }[];
  const body = payload?.hex_bytes ?? '';
  expect(answer.payloads).toEqual([
    { account_identifier: { address: payer }, hex_bytes: body, signature_type: 'ed25519' },
  ]);
  expect(body.slice(0, expected.length - EMPTY_TRANSFER.length)).toBe(expected.slice(0, -EMPTY_TRANSFER.length));
  expect(bodyIn(answer.unsigned_transaction as string)).toBe(body);
  const byte = (value: number): string => value.toString(16).padStart(2, '0');
  const size = body.length / 2;
  expect(answer.unsigned_transaction).toBe(
    `0x0a${byte(size + 6)}2a${byte(size + 4)}0a${byte(size)}${body}${EMPTY_SIGNATURES}`,
  );
};

const runFailure = async ({ transaction, error_code }: FailureVector): Promise<void> => {
  expect(await ask('parse', { signed: false, transaction })).toMatchObject({ code: error_code });
};

it.skipIf(!existsSync(path))('answers every vector of the facts as they do', async () => {
  const { about, alias, combine, hash, parse, payloads, ...failures } = JSON.parse(
    readFileSync(path, 'utf8'),
  ) as Vectors;
  expect(about).toMatch(/byte vectors/i);

  const { public_key_hex: hex_bytes, curve_type, derived_address } = alias;
  expect(await ask('derive', { public_key: { hex_bytes, curve_type } })).toEqual({
    account_identifier: { address: derived_address },
  });

  const signature = {
    signing_payload: { hex_bytes: '00' },
    public_key: { hex_bytes: combine.public_key_hex, curve_type: 'edwards25519' },
    signature_type: combine.signature_type,
    hex_bytes: combine.signature_hex,
  };
  const { unsigned_transaction, signed_transaction } = combine;
  expect(await ask('combine', { unsigned_transaction, signatures: [signature] })).toEqual({ signed_transaction });

  expect(await ask('hash', { signed_transaction: hash.signed_transaction })).toEqual({
    transaction_identifier: { hash: hash.hash },
  });

  expect([parse.length, payloads.length]).toEqual([2, 4]);
  for (const vector of parse) await runParse(vector);
  for (const vector of payloads) await runPayloads(vector);

  // Whatever else the file holds is a transaction that is refused.
  expect(Object.keys(failures).sort()).toEqual(['invalid_type_transaction', 'undecodable', 'unparseable']);
  for (const failure of Object.values(failures)) await runFailure(failure);
});
