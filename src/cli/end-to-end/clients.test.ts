import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  AccountId,
  BlockNodeServiceEndpoint,
  Client,
  ContractId,
  EvmAddress,
  FeeEstimateMode,
  Hbar,
  MirrorNodeAccountBalanceQuery,
  MirrorNodeServiceEndpoint,
  type NodeAddressBook,
  PrivateKey,
  PublicKey,
  RegisteredNodeAddressBookQuery,
  RpcRelayServiceEndpoint,
  TopicMessageSubmitTransaction,
  TransferTransaction,
} from '@hiero-ledger/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { isFree } from './testing/free-port.fixture.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

/** Ports that the SDK turns to when the mirror node is on this machine; it offers no way to name others. */
const sdkPorts = [5551, 8084];
const taken: number[] = [];
for (const port of sdkPorts) if (!(await isFree(port))) taken.push(port);

let served: ServedLedger;
let client: Client;

const one = async <R extends Record<string, string>>(sql: string): Promise<R> => {
  const [row] = await served.target.database.query<R>(sql);
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
};

const reason = taken.length === 0 ? '' : ` (skipped: port ${taken.join(' and ')} is taken)`;

describe.skipIf(taken.length > 0)(`the SDK against a mirror node on this machine${reason}`, () => {
  beforeAll(async () => {
    served = await serveSimulatedLedger(
      {
        seed: 'clients',
        transactions: 1_200,
        tps: 200,
        nodes: 3,
        users: 30,
        mix: 'transfer=50,accountcreate=20,autocreate=25,contractcreate=5',
      },
      { port: 5551, additionalPorts: [8084] },
    );
    client = Client.forNetwork({ '127.0.0.1:50211': '0.0.3' }, { scheduleNetworkUpdate: false });
    client.setMirrorNetwork(['127.0.0.1:5551']);
  }, 60_000);
  afterAll(async () => {
    client?.close();
    await served?.stop();
  });

  const balanceOf = async (accountId: AccountId | string): Promise<bigint> => {
    const { hbars } = await new MirrorNodeAccountBalanceQuery({ accountId }).execute(client);
    return BigInt(hbars.toTinybars().toString());
  };

  it('serves both ports', () => {
    expect(served.server.ports).toEqual(sdkPorts);
  });

  it('finds the number of an account by its EVM address, and the address by the number', async () => {
    const { id, address } = await one<{ id: string; address: string }>(
      "select id, encode(evm_address, 'hex') as address from entity where evm_address is not null and num > 1000 limit 1",
    );
    // Each of the two pauses for three seconds before it asks.
    const [byAddress, byNumber] = await Promise.all([
      AccountId.fromEvmAddress(0, 0, EvmAddress.fromString(address)).populateAccountNum(client),
      new AccountId(0, 0, Number(id)).populateAccountEvmAddress(client),
    ]);
    expect(byAddress.num.toString()).toBe(id);
    expect(byNumber.evmAddress?.toString()).toBe(address);
  });

  it('finds the number of a contract by its EVM address', async () => {
    const address = 'c0'.repeat(20);
    const { id } = await one<{ id: string }>(
      `update entity set evm_address = '\\x${address}' where id = (select min(id) from contract) returning id`,
    );
    const contract = await ContractId.fromEvmAddress(0, 0, address).populateAccountNum(client);
    expect(contract.num.toString()).toBe(id);
  });

  it('estimates fees, of each chunk of a long message', async () => {
    const { id } = await one<{ id: string }>("select id from entity where type = 'ACCOUNT' and num > 1000 limit 1");
    const key = PrivateKey.generateED25519();
    client.setOperator(`0.0.${id}`, key);
    const transfer = new TransferTransaction().addHbarTransfer(`0.0.${id}`, new Hbar(-1)).addHbarTransfer('0.0.98', 1);
    const intrinsic = await transfer.estimateFee().execute(client);
    expect(intrinsic.total.toString()).toBe(
      intrinsic.networkFee.subtotal.add(intrinsic.nodeFee.base).add(intrinsic.serviceFee.base).toString(),
    );
    const throttled = await transfer
      .estimateFee()
      .setMode(FeeEstimateMode.STATE)
      .setHighVolumeThrottle(5_000)
      .execute(client);
    expect(throttled.total.toString()).toBe(intrinsic.total.toString());
    const message = (bytes: number) =>
      new TopicMessageSubmitTransaction({ topicId: '0.0.5', message: 'x'.repeat(bytes) }).estimateFee().execute(client);
    const [short, long] = await Promise.all([message(1_000), message(3_000)]);
    expect(long.serviceFee.base.toNumber()).toBe(3 * short.serviceFee.base.toNumber());
  });

  it('reads balances by number, EVM address and public key', async () => {
    const { balances } = served.ledger.expected;
    const { id, address } = await one<{ id: string; address: string }>(
      "select id, encode(evm_address, 'hex') as address from entity where evm_address is not null and balance > 0 limit 1",
    );
    expect(await balanceOf(`0.0.${id}`)).toBe(balances.get(BigInt(id)));
    expect(await balanceOf(AccountId.fromEvmAddress(0, 0, address))).toBe(balances.get(BigInt(id)));
    for (const [prefix, keyOf] of [
      ['3a21', PublicKey.fromBytesECDSA],
      ['1220', PublicKey.fromBytesED25519],
    ] as const) {
      const { num, key } = await one<{ num: string; key: string }>(
        `select num, encode(substr(alias, 3), 'hex') as key from entity where encode(alias, 'hex') like '${prefix}%' and balance > 0 limit 1`,
      );
      expect(await balanceOf(keyOf(Buffer.from(key, 'hex')).toAccountId(0, 0))).toBe(balances.get(BigInt(num)));
    }
    expect(await balanceOf('0.0.999999999')).toBe(0n);
    const stranger = PrivateKey.generateECDSA().publicKey.toAccountId(0, 0);
    expect(await balanceOf(stranger)).toBe(0n);
  });

  it('reads the address book as browsers do', async () => {
    const sdk = dirname(createRequire(import.meta.url).resolve('@hiero-ledger/sdk/package.json'));
    const { default: AddressBookQueryWeb } = (await import(
      pathToFileURL(join(sdk, 'lib', 'network', 'AddressBookQueryWeb.js')).href
    )) as { default: new () => { setLimit(limit: number): { execute(by: Client): Promise<NodeAddressBook> } } };
    // Two pages: the SDK follows the link from one to the next.
    const book = await new AddressBookQueryWeb().setLimit(2).execute(client);
    const expected = parseAddressBook(readFileSync(served.ledger.addressBookFile));
    expect(
      book.nodeAddresses.map(({ nodeId, accountId, publicKey }) => [String(nodeId), String(accountId), publicKey]),
    ).toEqual(
      expected.entries.map(({ nodeId, accountId, publicKeyHex }) => [
        String(nodeId),
        `0.0.${accountId}`,
        `0x${publicKeyHex}`,
      ]),
    );
  });

  it('reads the registered nodes', async () => {
    const key = PrivateKey.generateED25519().publicKey;
    const endpoint = { port: 443, requires_tls: true };
    const nodes = [
      [7, 'blocks', 1, { ...endpoint, domain_name: 'blocks.example', block_node: { endpoint_apis: ['STATUS'] } }],
      [8, 'mirror', 3, { ...endpoint, ip_address: '192.0.2.1', mirror_node: {} }],
      [9, 'relay', 4, { ...endpoint, domain_name: 'relay.example', rpc_relay: {} }],
    ] as const;
    for (const [id, description, type, at] of nodes) {
      await served.target.database.query(
        `insert into registered_node (admin_key, created_timestamp, description, registered_node_id, service_endpoints, timestamp_range, type)
         values ($1, 1, $2, $3, $4, '[1,)', array[$5::smallint])`,
        [Buffer.from(`1220${toHex(key.toBytesRaw())}`, 'hex'), description, id, JSON.stringify([at]), type],
      );
    }
    const typeOf = (found: object): string | undefined =>
      [
        { name: 'block node', type: BlockNodeServiceEndpoint },
        { name: 'mirror node', type: MirrorNodeServiceEndpoint },
        { name: 'relay', type: RpcRelayServiceEndpoint },
      ].find(({ type }) => found instanceof type)?.name;
    const book = await new RegisteredNodeAddressBookQuery({ limit: 2 }).execute(client);
    expect(
      book.registeredNodes.map(({ registeredNodeId, description, adminKey, serviceEndpoints }) => [
        registeredNodeId.toNumber(),
        description,
        String(adminKey) === String(key),
        serviceEndpoints.map((found) => [typeOf(found), found.port, found.requiresTls]),
      ]),
    ).toEqual([
      [7, 'blocks', true, [['block node', 443, true]]],
      [8, 'mirror', true, [['mirror node', 443, true]]],
      [9, 'relay', true, [['relay', 443, true]]],
    ]);
  });
});
