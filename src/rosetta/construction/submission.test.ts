/** Which address a transaction goes to, and in what: nodes of the address book and configured ones, plain and over TLS. */
import { createHash, randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type Certificate, selfSignedCertificate } from '../../ledger/testing/certificate.fixture.ts';
import { hbar, openRosetta, type RosettaFixture } from '../testing/rosetta.fixture.ts';
import { openSimulatedNode, type SimulatedNode } from '../testing/simulated-node.fixture.ts';

const operations = ['-5', '5'].map((value, index) => ({
  operation_identifier: { index },
  type: 'CRYPTOTRANSFER',
  account: { address: `0.0.${1_001 + index}` },
  amount: hbar(value),
}));

/** An address of this machine that no other test uses, so that nodes can be on the ports that they have. */
const ownHost = (): string => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;

let target: TestDatabase;
const nodes: SimulatedNode[] = [];

beforeAll(async () => {
  target = await createTestDatabase();
});

afterAll(() => target?.drop());

afterEach(async () => {
  for (const node of nodes.splice(0)) node.stop();
  for (const table of ['address_book', 'address_book_entry', 'address_book_service_endpoint']) {
    await target.database.query(`delete from ${table}`);
  }
});

const openNode = async (options: Parameters<typeof openSimulatedNode>[0]): Promise<SimulatedNode> => {
  const node = await openSimulatedNode(options);
  nodes.push(node);
  return node;
};

const insertBook = async (
  endpoints: readonly { readonly host?: string; readonly name?: string; readonly port: number }[],
  certificateHash?: string,
): Promise<void> => {
  const { database } = target;
  await database.query(`insert into address_book (start_consensus_timestamp, file_id, file_data) values (1, 101, '')`);
  await database.query(
    `insert into address_book_entry (consensus_timestamp, node_id, node_account_id, node_cert_hash, memo, public_key)
      values (1, 0, 3, $1, '0.0.3', '')`,
    [certificateHash === undefined ? null : Buffer.from(certificateHash)],
  );
  for (const { host = '', name = '', port } of endpoints) {
    await database.query(
      `insert into address_book_service_endpoint (consensus_timestamp, ip_address_v4, node_id, port, domain_name)
        values (1, $1, 0, $2, $3)`,
      [host, port, name],
    );
  }
};

const submitted = async (rosetta: RosettaFixture, node_account_id = '0.0.3'): Promise<object> => {
  try {
    const { body } = await rosetta.ask('/construction/payloads', { operations, metadata: { node_account_id } });
    const { unsigned_transaction: signed_transaction } = body as { unsigned_transaction: string };
    return (await rosetta.ask('/construction/submit', { signed_transaction })).body;
  } finally {
    await rosetta.stop();
  }
};

const accepted = { transaction_identifier: { hash: expect.stringMatching(/^0x[0-9a-f]{96}$/) } };
const refused = (reason: string | RegExp) => ({ code: 118, details: { reason: expect.stringMatching(reason) } });
const hashOf = ({ certificate }: Certificate): string => createHash('sha384').update(certificate).digest('hex');

describe('nodes of the address book', () => {
  it('are reached in plain text where they offer that', async () => {
    const host = ownHost();
    const node = await openNode({ host, port: 50_211 });
    await insertBook([
      { host, port: 50_212 },
      { host, port: 50_211 },
    ]);
    expect(await submitted(await openRosetta(target.database))).toEqual(accepted);
    expect(node.received).toHaveLength(1);
  });

  it('are reached by name where they have no number', async () => {
    await insertBook([{ name: 'nobody.invalid', port: 50_211 }]);
    const rosetta = await openRosetta(target.database);
    expect(await submitted(rosetta)).toMatchObject(refused(/^UNAVAILABLE: .*nobody\.invalid/));
  });

  it('are reached over TLS otherwise, where the certificate is the one of the book', async () => {
    const host = ownHost();
    const tls = selfSignedCertificate('node 0');
    const node = await openNode({ host, port: 50_212, tls });
    await insertBook([{ host, port: 50_212 }], hashOf(tls));
    expect(await submitted(await openRosetta(target.database))).toEqual(accepted);
    expect(node.received).toHaveLength(1);
  });

  it('get nothing when the certificate is another one', async () => {
    const host = ownHost();
    const node = await openNode({ host, port: 50_212, tls: selfSignedCertificate('node 0') });
    await insertBook([{ host, port: 50_212 }], hashOf(selfSignedCertificate('node 0')));
    expect(await submitted(await openRosetta(target.database))).toMatchObject(
      refused('UNAVAILABLE: the certificate of the node is not that of the address book'),
    );
    expect(node.received).toHaveLength(0);
  });

  it('are told of when they do not speak TLS, or nothing at all', async () => {
    const host = ownHost();
    await insertBook([{ host, port: 50_212 }]);
    expect(await submitted(await openRosetta(target.database))).toMatchObject(refused(/^UNAVAILABLE: .*ECONNREFUSED/));
    await openNode({ host, port: 50_212 });
    const rosetta = await openRosetta(target.database, { limits: { submitTimeout: 2_000 } });
    expect(await submitted(rosetta)).toMatchObject(refused(/^UNAVAILABLE: /));
  });
});

describe('configured nodes', () => {
  const nodesOf = (value: string) =>
    loadSettings({ cwd: '/', env: { HIERO_MIRROR_ROSETTA_NODES: value }, readFile: () => undefined }).settings.hiero
      .mirror.rosetta.nodes;

  it('come from the environment, and win over the address book', async () => {
    const host = ownHost();
    const node = await openNode({ host });
    await insertBook([{ host: '127.0.0.1', port: 50_211 }]);
    const nodes = nodesOf(`${node.address}:0.0.3,${host}:1:0.0.4`);
    expect(await submitted(await openRosetta(target.database, { settings: { nodes } }))).toEqual(accepted);
    expect(node.received).toHaveLength(1);
    expect(await submitted(await openRosetta(target.database, { settings: { nodes } }), '0.0.5')).toMatchObject(
      refused('no address of node 0.0.5 is known'),
    );
  });

  it('are reached over TLS on its port, with the certificate of the address book if that knows them', async () => {
    const host = ownHost();
    const tls = selfSignedCertificate('node 0');
    const node = await openNode({ host, port: 50_212, tls });
    const settings = { nodes: nodesOf(`${host}:50212:0.0.3`) };
    expect(await submitted(await openRosetta(target.database, { settings }))).toEqual(accepted);
    await insertBook([], 'ab'.repeat(48));
    expect(await submitted(await openRosetta(target.database, { settings }))).toMatchObject(
      refused('UNAVAILABLE: the certificate of the node is not that of the address book'),
    );
    expect(node.received).toHaveLength(1);
  });
});
