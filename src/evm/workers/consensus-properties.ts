/**
 * Properties of consensus nodes (`hiero.mirror.web3.evm.properties`). Other mirror nodes hand them to the node's library,
 * which simulates for them; here those that a simulation can show have their effect, those about other things are taken over
 * silently, and any other value is refused, so that none is believed to count that doesn't.
 */
import { KagamiError } from '../../errors/kagami-error.ts';
import { MAX_INT64 } from '../../ledger/int64.ts';

/** What properties set; absent: as without them. */
export interface ConsensusProperties {
  readonly chainId?: bigint;
  /** `0x` and hex digits. */
  readonly ledgerId?: string;
  /** As written. */
  readonly evmVersion?: string;
  readonly shard?: bigint;
  readonly realm?: bigint;
  /** Percent. */
  readonly maxGasRefundPercentage?: number;
  /** Most gas of a call; more of it gives MAX_GAS_LIMIT_EXCEEDED. */
  readonly maxGas?: bigint;
  /** Bytes of call data or init code; more of it gives TRANSACTION_OVERSIZE. */
  readonly mostCallData: number;
  readonly mostInitCode: number;
  /** Functions of system contracts that answer as if they weren't there. */
  readonly functionsOff: ReadonlySet<string>;
}

const SETTING = 'hiero.mirror.web3.evm.properties';

const DEFAULT_CALL_DATA = 131_072;
/** Texts of members end at twice as many digits. */
const MOST_CALL_DATA = 524_288;
const DEFAULT_TRANSACTION = 6_144;

const every = '*';

/** In environment variables names have neither letter case nor dots. */
const canonical = (name: string): string => name.replaceAll(/[-_.]/g, '').toLowerCase();

/**
 * Functions by the flag that turns them off: names, or signatures where several have one name, with the number of their
 * contract. Flags are those of the node's `contracts` configuration.
 */
const functionsOfFlags: Readonly<Record<string, readonly string[]>> = {
  'contracts.precompile.atomicCryptoTransfer.enabled': [
    '359 cryptoTransfer(((address,int64,bool)[]),(address,(address,int64,bool)[],(address,address,int64,bool)[])[])',
  ],
  'contracts.precompile.hrcFacade.associate.enabled': ['359 associate', '359 dissociate', '359 isAssociated'],
  'contracts.systemContract.accountService.enabled': [`362 ${every}`],
  'contracts.systemContract.accountService.isAuthorizedEnabled': ['362 isAuthorized'],
  'contracts.systemContract.accountService.isAuthorizedRawEnabled': ['362 isAuthorizedRaw'],
  'contracts.systemContract.airdropTokens.enabled': ['359 airdropTokens'],
  'contracts.systemContract.cancelAirdrops.enabled': [
    '359 cancelAirdrops',
    '359 cancelAirdropFT',
    '359 cancelAirdropNFT',
  ],
  'contracts.systemContract.claimAirdrops.enabled': ['359 claimAirdrops', '359 claimAirdropFT', '359 claimAirdropNFT'],
  'contracts.systemContract.rejectTokens.enabled': ['359 rejectTokens', '359 rejectTokenFT', '359 rejectTokenNFTs'],
  'contracts.systemContract.scheduleService.authorizeSchedule.enabled': ['363 authorizeSchedule'],
  'contracts.systemContract.scheduleService.enabled': [`363 ${every}`],
  'contracts.systemContract.scheduleService.scheduleCall.enabled': [
    '363 scheduleCall',
    '363 scheduleCallWithPayer',
    '363 executeCallOnPayerSignature',
    '363 hasScheduleCapacity',
    '363 deleteSchedule',
  ],
  'contracts.systemContract.scheduleService.scheduleNative.enabled': ['363 scheduleNative'],
  'contracts.systemContract.scheduleService.signSchedule.enabled': ['363 signSchedule'],
  'contracts.systemContract.setUnlimitedAutoAssociations.enabled': ['362 setUnlimitedAutomaticAssociations'],
  'contracts.systemContract.updateCustomFees.enabled': [
    '359 updateFungibleTokenCustomFees',
    '359 updateNonFungibleTokenCustomFees',
  ],
};

/** Whether a function of a system contract is among those turned off. */
export const isFunctionOff = (
  off: ReadonlySet<string>,
  number: bigint,
  { name, signature }: { readonly name: string; readonly signature: string },
): boolean => [every, name, signature].some((text) => off.has(`${number} ${text}`));

/**
 * What no simulation shows: how a node runs, talks, keeps, throttles and charges. Anything else of theirs is refused,
 * unless it says what holds here anyway.
 */
const meaninglessBeginnings: readonly string[] = [
  ...['autoRenew.', 'balances.', 'blockNode.', 'blockRecordStream.', 'blockStream.', 'bootstrap.', 'cache.', 'event.'],
  ...['contracts.localCall.', 'contracts.metrics.', 'contracts.nonces.', 'contracts.sidecar', 'contracts.throttle.'],
  ...['contracts.enforceCreationThrottle', 'contracts.precompile.exportRecordResults', 'contracts.scheduleThrottle'],
  ...[
    'executor.',
    'fees.',
    'files.',
    'grpc.',
    'hedera.profiles.',
    'hedera.recordStream.',
    'iss.',
    'metrics.',
    'netty.',
  ],
  ...[
    'jumboTransactions.grpcMethodNames',
    'jumboTransactions.maxBytesPerSec',
    'networkAdmin.',
    'nodes.',
    'prometheus.',
  ],
  ...['queries.', 'rates.', 'sigs.', 'staking.', 'state.', 'stats.', 'topics.', 'traceability.', 'tss.', 'upgrade.'],
].map(canonical);

/** What holds in every simulation: saying so is fine, saying anything else is refused. */
const fixed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'contracts.allowCreate2': 'true',
    'contracts.evm.allowCallsToNonContractAccounts': 'true',
    'contracts.precompile.htsEnableTokenCreate': 'true',
    'contracts.redirectTokenCalls': 'true',
    'contracts.systemContract.hts.addresses': '359',
    'contracts.systemContract.scheduleService.signSchedule.from.contract.enabled': 'true',
    'entities.unlimitedAutoAssociationsEnabled': 'true',
    'lazyCreation.enabled': 'true',
  }).map(([name, value]) => [canonical(name), value]),
);

const refused = (name: string, value: string, reason: string): KagamiError =>
  new KagamiError('CONFIG_INVALID', `${SETTING}: ${name}=${value} ${reason}`, {
    details: { setting: `${SETTING}.${name}`, value },
  });

class PropertyReader {
  readonly #properties: ReadonlyMap<string, string>;

  constructor(properties: Readonly<Record<string, string>>) {
    this.#properties = new Map(Object.entries(properties).map(([name, value]) => [canonical(name), value]));
  }

  text(name: string): string | undefined {
    return this.#properties.get(canonical(name))?.trim();
  }

  integer(name: string, most: bigint): bigint | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^\d{1,19}$/.test(value) && BigInt(value) <= most) return BigInt(value);
    throw refused(name, value, `must be a whole number up to ${most}`);
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined) return undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    throw refused(name, value, 'must be true or false');
  }
}

/** Without jumbo transactions for a functionality, its calls are bound by the size of other transactions. */
const mostBytes = (reader: PropertyReader, functionality: string): number => {
  const plain = reader.integer('hedera.transaction.maxBytes', BigInt(MOST_CALL_DATA)) ?? BigInt(DEFAULT_TRANSACTION);
  const data =
    reader.integer('jumboTransactions.ethereumMaxCallDataSize', BigInt(MOST_CALL_DATA)) ?? BigInt(DEFAULT_CALL_DATA);
  const whole = reader.integer('jumboTransactions.maxTxnSize', MAX_INT64) ?? data;
  const allowed = reader.text('jumboTransactions.allowedHederaFunctionalities');
  const isAllowed = allowed === undefined || allowed.split(',').some((name) => name.trim() === functionality);
  const isJumbo = (reader.flag('jumboTransactions.isEnabled') ?? true) && isAllowed;
  if (!isJumbo) return Number(plain);
  return Number(whole < data ? whole : data);
};

const ledgerIdOf = (reader: PropertyReader): string | undefined => {
  const name = 'ledger.id';
  const value = reader.text(name);
  if (value === undefined) return undefined;
  const digits = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/.exec(value)?.[1];
  if (digits === undefined) throw refused(name, value, 'must be bytes in hex');
  return `0x${digits.toLowerCase()}`;
};

const functionsOffIn = (reader: PropertyReader): ReadonlySet<string> =>
  new Set(
    Object.entries(functionsOfFlags).flatMap(([flag, functions]) => (reader.flag(flag) === false ? functions : [])),
  );

const read: ReadonlySet<string> = new Set(
  [
    'contracts.chainId',
    'contracts.evm.version',
    'contracts.maxGasPerSec',
    'contracts.maxRefundPercentOfGasLimit',
    'hedera.realm',
    'hedera.shard',
    'hedera.transaction.maxBytes',
    'jumboTransactions.allowedHederaFunctionalities',
    'jumboTransactions.ethereumMaxCallDataSize',
    'jumboTransactions.isEnabled',
    'jumboTransactions.maxTxnSize',
    'ledger.id',
    ...Object.keys(functionsOfFlags),
  ].map(canonical),
);

const refuseOthers = (properties: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(properties)) {
    const plain = canonical(name);
    if (read.has(plain) || meaninglessBeginnings.some((beginning) => plain.startsWith(beginning))) continue;
    const holds = fixed.get(plain);
    if (holds === undefined) throw refused(name, value, 'is no property that simulations follow; leave it out');
    if (value.trim().toLowerCase() !== holds) throw refused(name, value, `can't be followed: it is always ${holds}`);
  }
};

/** @throws KagamiError CONFIG_INVALID for a property or a value that simulations can't follow */
export const consensusPropertiesOf = (properties: Readonly<Record<string, string>>): ConsensusProperties => {
  refuseOthers(properties);
  const reader = new PropertyReader(properties);
  const found = {
    chainId: reader.integer('contracts.chainId', MAX_INT64),
    ledgerId: ledgerIdOf(reader),
    evmVersion: reader.text('contracts.evm.version'),
    shard: reader.integer('hedera.shard', MAX_INT64),
    realm: reader.integer('hedera.realm', MAX_INT64),
    maxGas: reader.integer('contracts.maxGasPerSec', MAX_INT64),
  };
  const refund = reader.integer('contracts.maxRefundPercentOfGasLimit', 100n);
  return {
    ...(Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Partial<typeof found> &
      Omit<ConsensusProperties, 'mostCallData' | 'mostInitCode' | 'functionsOff'>),
    ...(refund === undefined ? {} : { maxGasRefundPercentage: Number(refund) }),
    mostCallData: mostBytes(reader, 'ContractCall'),
    mostInitCode: mostBytes(reader, 'ContractCreate'),
    functionsOff: functionsOffIn(reader),
  };
};
