/**
 * What the logs of fungible transfers still lack when their block ends: the EVM addresses of those who have one, and
 * blooms. A log's bloom is made of itself alone and becomes part of its result's and its own block's bloom; the reference
 * also lets the result's earlier bits into the log, and adds them to the last block that it happens to write together.
 */
import type { RowOf } from '../../database/table.ts';
import { addToBloom, BLOOM_LENGTH, uniteBloom } from '../../ledger/bloom.ts';
import { leftPad, trimLeadingZeros } from '../../ledger/bytes.ts';
import { decodeEntityId, type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { UNKNOWN_BLOOM } from './synthetic-logs.ts';
import { numOfIdTopic } from './synthetic-values.ts';

type Log = RowOf<'contract_log'>;
type BlockContext = Pick<HandlerContext, 'evm' | 'lookup' | 'network' | 'persist'>;

const TOPIC_LENGTH = 32;

const forEachTransfer = ({ evm }: BlockContext, visit: (log: Log) => void): void => {
  for (const log of evm.logs) if (log.synthetic === true) visit(log);
};

const idOfNum = ({ network }: BlockContext, num: number): EntityId =>
  encodeEntityId(network.shard, network.realm, BigInt(num));

/** The entities in the block's transfer logs whose EVM addresses the lookup doesn't know. */
export const unknownAddresses = (context: BlockContext): EntityId[] => {
  if (!context.persist.syntheticContractLogEvmAddressLookup) return [];
  const seen = new Set<number>();
  const unknown = new Set<EntityId>();
  const want = (id: EntityId): void => {
    if (context.lookup.evmAddress(id) === undefined) unknown.add(id);
  };
  const wantTopic = (topic: Uint8Array | null): void => {
    const num = topic === null ? 0 : numOfIdTopic(topic);
    if (num === 0 || seen.has(num)) return;
    seen.add(num);
    want(idOfNum(context, num));
  };
  forEachTransfer(context, (log) => {
    wantTopic(log.topic1);
    wantTopic(log.topic2);
    if (log.bloom === UNKNOWN_BLOOM && log.contract_id !== 0n) want(log.contract_id);
  });
  return [...unknown];
};

/** Gives topics of entities that have an EVM address that address; what else a topic may be stays as it is. */
class Topics {
  readonly #context: BlockContext;
  /** By num; null for entities without EVM address. */
  readonly #addresses = new Map<number, Uint8Array | null>();

  constructor(context: BlockContext) {
    this.#context = context;
  }

  resolve(topic: Uint8Array | null): Uint8Array | null {
    const num = topic === null ? 0 : numOfIdTopic(topic);
    if (num === 0) return topic;
    let address = this.#addresses.get(num);
    if (address === undefined) {
      const found = this.#context.lookup.evmAddress(idOfNum(this.#context, num)) ?? null;
      address = found && trimLeadingZeros(found);
      this.#addresses.set(num, address);
    }
    return address ?? topic;
  }
}

const bloomOf = (log: Log, address: Uint8Array): Uint8Array => {
  const bloom = new Uint8Array(BLOOM_LENGTH);
  addToBloom(bloom, address);
  for (const topic of [log.topic0, log.topic1, log.topic2, log.topic3]) {
    if (topic !== null && topic.length > 0) addToBloom(bloom, leftPad(topic, TOPIC_LENGTH));
  }
  return bloom;
};

/**
 * Completes the block's transfer logs and the blooms of the results that they belong to. `addBloom` is told the blooms
 * that are now part of the block's.
 */
export const completeTransferLogs = (context: BlockContext, addBloom: (bloom: Uint8Array) => void): void => {
  const { evm, lookup, persist } = context;
  const withAddresses = persist.syntheticContractLogEvmAddressLookup;
  const topics = new Topics(context);
  const changed = new Map<RowOf<'contract_result'>, Uint8Array>();
  const addressOf = (contractId: EntityId): Uint8Array =>
    (withAddresses ? lookup.evmAddress(contractId) : null) ?? longZeroAddress(decodeEntityId(contractId).num);
  forEachTransfer(context, (log) => {
    if (withAddresses) {
      log.topic1 = topics.resolve(log.topic1);
      log.topic2 = topics.resolve(log.topic2);
    }
    if (log.bloom !== UNKNOWN_BLOOM) return;
    log.bloom = bloomOf(log, addressOf(log.contract_id));
    const result = evm.result(log.consensus_timestamp);
    if (result === undefined) return;
    let bloom = changed.get(result);
    if (bloom === undefined) {
      // The result's own bytes are part of its record.
      bloom = new Uint8Array(BLOOM_LENGTH);
      uniteBloom(bloom, result.bloom ?? bloom);
      result.bloom = bloom;
      changed.set(result, bloom);
    }
    uniteBloom(bloom, log.bloom);
  });
  for (const bloom of changed.values()) addBloom(bloom);
};
