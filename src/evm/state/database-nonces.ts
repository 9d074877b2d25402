/**
 * Nonces at past moments. Tables hold those of now, and a new nonce alone begins no version; what a nonce was follows
 * from what it has done since: addresses of contracts tell the nonce of their creator, results of contract calls the
 * nonces that they left, Ethereum transactions the one that they used.
 */
import { RLP } from '@ethereumjs/rlp';
import { fromHex } from '../../ledger/bytes.ts';
import { decodeEntityId, type EntityId } from '../../ledger/entity-id.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { ContractFunctionResult, ContractNonceInfo } from '../../protobuf/generated/services/contract_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { Moment, Past } from './moment.ts';
import type { AddressHex, EntityRecord } from './records.ts';
import { addressOf } from './world.ts';

/** How many addresses or transactions are looked up at once; many more where there is a gap in what was created. */
const WINDOW = 32;
const NO_BYTES = new Uint8Array();

const ADDRESS_OFFSET = 12;

const childAddress = (creator: Uint8Array, nonce: bigint): Buffer =>
  Buffer.from(keccak256(RLP.encode([creator, nonce])).subarray(ADDRESS_OFFSET));

const childrenSql = `
  select asked.n, min(e.created_timestamp) <= $2::bigint as is_there
  from unnest($1::bytea[]) with ordinality as asked(address, n)
  cross join lateral (
    select created_timestamp from entity where evm_address = asked.address and type = 'CONTRACT'
    union all
    select created_timestamp from entity_history where evm_address = asked.address and type = 'CONTRACT'
  ) e
  group by asked.n order by asked.n desc limit 1`;

interface ChildRow {
  readonly n: string;
  readonly is_there: boolean;
}

/** The newest known child by nonces `from` to `until`, and whether it was there by then. */
const newestChild = async (
  { db, at }: Past,
  creator: Uint8Array,
  from: bigint,
  until: bigint,
): Promise<{ nonce: bigint; isThere: boolean } | undefined> => {
  const addresses = Array.from({ length: Number(until - from) + 1 }, (_, n) => childAddress(creator, from + BigInt(n)));
  const [row] = await db.query<ChildRow>(childrenSql, [addresses, at], 'evm-past-children');
  return row === undefined ? undefined : { nonce: from + BigInt(row.n) - 1n, isThere: row.is_there };
};

/** The last nonce below `end` with which something was created by then; 0n without any. Nonces are used in order. */
const lastUsedNonce = async (moment: Past, address: AddressHex, end: bigint): Promise<bigint> => {
  const creator = fromHex(address) as Uint8Array;
  let used = 0n;
  let low = 1n;
  let high = end - 1n;
  while (low <= high) {
    let until = (low + high) / 2n;
    const middle = until;
    let width = BigInt(WINDOW);
    let found: Awaited<ReturnType<typeof newestChild>>;
    while (found === undefined && until >= low) {
      const from = until - width + 1n < low ? low : until - width + 1n;
      found = await newestChild(moment, creator, from, until);
      until = found === undefined ? from - 1n : until;
      width *= 2n;
    }
    // Nothing was created by calls that failed, and at other addresses by CREATE2: such a gap goes with what is before.
    if (found === undefined || found.isThere) {
      used = found?.nonce ?? used;
      low = middle + 1n;
    } else {
      high = found.nonce - 1n;
    }
  }
  return used;
};

const NONCE_TAG = 0x10;

/** How the result of a call begins to say the nonce of a contract. */
const nonceMark = (id: EntityId): Buffer => {
  const { shard, realm, num } = decodeEntityId(id);
  const contractId = {
    shardNum: shard,
    realmNum: realm,
    contract: { $case: 'contractNum' as const, contractNum: num },
  };
  const info = ContractNonceInfo.encode(ContractNonceInfo.fromPartial({ contractId })).finish();
  return Buffer.from([...info, NONCE_TAG]);
};

const resultSql = `
  select function_result from contract_result
  where contract_id = $1 and consensus_timestamp <= $2 and position($3::bytea in function_result) > 0
  order by consensus_timestamp desc limit 1`;

interface ResultRow {
  readonly function_result: Buffer;
}

/** The nonce that the newest call of the contract left that says one. */
const toldNonce = async ({ db, at }: Past, id: EntityId): Promise<bigint> => {
  const [row] = await db.query<ResultRow>(resultSql, [id, at, nonceMark(id)], 'evm-past-contract-nonce');
  if (row === undefined) return 0n;
  const { num } = decodeEntityId(id);
  const { contractNonces } = ContractFunctionResult.decode(row.function_result);
  const told = contractNonces.find(
    ({ contractId }) => contractId?.contract?.$case === 'contractNum' && contractId.contract.contractNum === num,
  );
  return told?.nonce ?? 0n;
};

const contractNonce = async (moment: Past, entity: EntityRecord): Promise<bigint> => {
  const told = await toldNonce(moment, entity.id);
  const used = await lastUsedNonce(moment, addressOf(entity), entity.nonce);
  const then = told > used + 1n ? told : used + 1n;
  return then < entity.nonce ? then : entity.nonce;
};

const sentSql = `
  select r.consensus_timestamp, r.transaction_result, e.nonce, r.function_result
  from contract_result r join ethereum_transaction e using (consensus_timestamp)
  where r.sender_id = $1 and r.consensus_timestamp <= $2
  order by r.consensus_timestamp desc limit $3`;

interface SentRow {
  readonly consensus_timestamp: string;
  readonly transaction_result: number;
  readonly nonce: string;
  readonly function_result: Buffer | null;
}

/** Results that use the sender's nonce up, even where nothing says so. */
const USING: ReadonlySet<number> = new Set([
  ResponseCodeEnum.SUCCESS,
  ResponseCodeEnum.CONTRACT_REVERT_EXECUTED,
  ResponseCodeEnum.MAX_CHILD_RECORDS_EXCEEDED,
]);

/** The nonce that an Ethereum transaction left to its sender; undefined when it did not touch it. */
const nonceAfter = ({ transaction_result, nonce, function_result }: SentRow): bigint | undefined =>
  ContractFunctionResult.decode(function_result ?? NO_BYTES).signerNonce ??
  (USING.has(transaction_result) ? BigInt(nonce) + 1n : undefined);

const accountNonce = async ({ db, at }: Past, { id, nonce }: EntityRecord): Promise<bigint> => {
  let until = at;
  for (;;) {
    const rows = await db.query<SentRow>(sentSql, [id, until, WINDOW], 'evm-past-account-nonce');
    for (const row of rows) {
      const then = nonceAfter(row);
      if (then !== undefined) return then < nonce ? then : nonce;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < WINDOW) return 0n;
    until = BigInt(last.consensus_timestamp) - 1n;
  }
};

/** Nonces of entities whose records may carry one of a later time. */
export const loadNonces = (moment: Moment, entities: readonly EntityRecord[]): Promise<bigint[]> =>
  Promise.all(
    entities.map(async (entity) => {
      if (moment.at === undefined) return entity.nonce;
      return entity.type === 'CONTRACT' ? contractNonce(moment, entity) : accountNonce(moment, entity);
    }),
  );
