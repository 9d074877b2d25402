/** A project of 301 files, uploaded and verified under the limits that are there by default. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Compiled, construct, insertContract, insertTransaction } from '../testing/deployment.fixture.ts';
import { compileProject, projectOf } from '../testing/project.fixture.ts';
import { type LedgerServer, serveLedger } from './testing/ledger-server.fixture.ts';

const CREATED = 1_700_000_000_000_000_000n;
const GOVERNOR = `${'0'.repeat(24)}${'ab'.repeat(20)}`;
const project = projectOf(100);

let server: LedgerServer;
let compiled: Compiled;
let address: string;

beforeAll(async () => {
  server = await serveLedger();
  compiled = await compileProject(project);
  const initcode = `${compiled.creation}${GOVERNOR}`;
  const deployed = await construct(initcode);
  address = `0x${deployed.address.toString('hex')}`;
  await insertContract(server.database, {
    id: 3001,
    created: CREATED,
    evmAddress: deployed.address,
    runtime: deployed.runtime,
    initcode: Buffer.from(initcode.slice(2), 'hex'),
  });
  await insertTransaction(server.database, { at: CREATED, hash: Buffer.alloc(48, 7) });
}, 180_000);
afterAll(() => server?.close());

it('is verified to the letter while others are served', async () => {
  const visitor = server.visitor();
  const form = new FormData();
  for (const [path, text] of Object.entries(project.sources)) form.append('files', new File([text], path));
  form.append('files', new File([compiled.metadata], 'metadata.json'));
  const { status, json } = await visitor.post('/session/input-files', { form });
  expect(status).toBe(200);
  const [contract] = json.contracts;
  expect([contract.files.found.length, contract.files.missing, json.unused]).toEqual([301, [], []]);

  const { verificationId } = contract;
  let hasEnded = false;
  const verification = visitor
    .post('/session/verify-checked', { body: { contracts: [{ verificationId, address, chainId: '298' }] } })
    .finally(() => {
      hasEnded = true;
    });
  const other = server.visitor();
  const before = await other.get(`/v2/contract/298/${address}`);
  expect([before.status, hasEnded]).toEqual([404, false]);
  expect((await verification).json.contracts[0]).toMatchObject({ status: 'perfect', name: 'Protocol' });

  const { json: stored } = await other.get(
    `/v2/contract/298/${address}?fields=creationBytecode.transformationValues,sourceIds`,
  );
  expect(stored).toMatchObject({
    match: 'exact_match',
    creationMatch: 'exact_match',
    creationBytecode: { transformationValues: { constructorArguments: `0x${GOVERNOR}` } },
  });
  expect(Object.keys(stored.sourceIds)).toHaveLength(301);
  const files = (await other.get(`/files/${298}/${address}`)).json;
  expect(files.filter(({ path }: { path: string }) => path.includes('/sources/contracts/'))).toHaveLength(301);
}, 180_000);
