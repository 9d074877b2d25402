import { describe, expect, it } from 'vitest';
import { openExplorer } from './explorer.ts';
import { isPrivateAddress } from './private-address.ts';

const SOURCE = 'contract B {} /* contract A */ contract A { string s = "contract B"; }';

const contract = (changes: object = {}) => ({
  SourceCode: SOURCE,
  ContractName: 'A',
  CompilerVersion: 'v0.8.26+commit.8a97fa7a',
  OptimizationUsed: '1',
  Runs: '200',
  EVMVersion: 'Default',
  ...changes,
});

const deployed = { chainId: '298', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };

const ask = async (answer: unknown, { status = 200, addresses = ['203.0.113.7'], key = 'k3y' } = {}) => {
  const asked: string[] = [];
  const explore = openExplorer({
    endpoints: new Map([['298', { url: 'https://explorer.test/api?token=t0ken', apiKey: 'configured' }]]),
    allowPrivate: false,
    timeoutMs: 1_000,
    resolve: async () => addresses,
    fetchUrl: async (url) => {
      asked.push(String(url));
      if (answer instanceof Error) throw answer;
      return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status });
    },
  });
  return { target: await explore(deployed, key), asked };
};

const found = (changes: object) => ask({ status: '1', message: 'OK', result: [contract(changes)] });

describe('import from explorers', () => {
  it('asks for the sources with the key of the request', async () => {
    const { target, asked } = await found({});
    expect(asked).toEqual([
      `https://explorer.test/api?token=t0ken&chainid=298&module=contract&action=getsourcecode&address=${deployed.address}&apikey=k3y`,
    ]);
    expect(target).toEqual({
      compilerVersion: '0.8.26+commit.8a97fa7a',
      input: {
        language: 'Solidity',
        sources: { 'A.sol': { content: SOURCE } },
        settings: { optimizer: { enabled: true, runs: 200 }, libraries: {} },
      },
      path: 'A.sol',
      name: 'A',
    });
  });

  it('understands several files, the last of which defines the contract, and standard JSON', async () => {
    const several = {
      'x.sol': { content: 'contract A {}' },
      'y.sol': { content: SOURCE },
      'z.sol': { content: '// contract A' },
    };
    expect((await found({ SourceCode: JSON.stringify(several), EVMVersion: 'paris' })).target).toMatchObject({
      path: 'y.sol',
      input: { sources: several, settings: { evmVersion: 'paris' } },
    });
    const input = { language: 'Solidity', sources: several, settings: { viaIR: true } };
    expect((await found({ SourceCode: `{${JSON.stringify(input)}}` })).target).toMatchObject({ path: 'y.sol', input });
  });

  it('understands Vyper', async () => {
    const { target } = await found({
      SourceCode: '# @version 0.3.10\r\n',
      ContractName: 'My Pool',
      CompilerVersion: 'vyper:0.3.10',
    });
    expect(target).toEqual({
      compilerVersion: '0.3.10',
      input: { language: 'Vyper', sources: { 'MyPool.vy': { content: '# @version 0.3.10\n' } }, settings: {} },
      path: 'MyPool.vy',
      name: 'MyPool',
    });
  });

  it.each([
    [
      'EXPLORER_NOT_VERIFIED',
      { message: 'OK', result: [contract({ SourceCode: '' })] },
      'This contract is not verified on Etherscan.',
    ],
    [
      'EXPLORER_RATE_LIMITED',
      { message: 'NOTOK', result: 'Max rate limit reached' },
      'Etherscan API rate limit reached, try later.',
    ],
    [
      'EXPLORER_FAILED',
      { message: 'NOTOK', result: 'Invalid API Key' },
      'Error in Etherscan API response. Result message: Invalid API Key',
    ],
    ['EXPLORER_MALFORMED', { message: 'OK', result: [] }, 'The explorer does not answer as Etherscan does'],
    ['EXPLORER_MALFORMED', '<html>', 'The explorer does not answer with JSON'],
    [
      'EXPLORER_MALFORMED',
      { message: 'OK', result: [contract({ ContractName: 'C' })] },
      "The sources returned by Etherscan don't include the expected contract definition.",
    ],
    [
      'EXPLORER_UNREACHABLE',
      new Error('https://explorer.test/?apikey=k3y failed'),
      'Request to https://explorer.test/api?[hidden] failed.',
    ],
  ])('tells %s', async (code, answer, message) => {
    const fault = await ask(answer).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code, message });
    expect(JSON.stringify(fault, Object.getOwnPropertyNames(fault))).not.toContain('k3y');
  });

  it('tells the status of an error', async () => {
    await expect(ask('', { status: 500 })).rejects.toMatchObject({
      code: 'EXPLORER_FAILED',
      message: 'Etherscan API responded with an error. Status code: 500.',
    });
  });

  it('asks no private address unless that is allowed, and no explorer that nobody named', async () => {
    await expect(ask({}, { addresses: ['203.0.113.7', '10.1.2.3'] })).rejects.toMatchObject({
      code: 'EXPLORER_UNREACHABLE',
    });
    const none = openExplorer({ endpoints: new Map(), allowPrivate: true, timeoutMs: 1 });
    await expect(none(deployed, undefined)).rejects.toMatchObject({
      code: 'EXPLORER_NOT_CONFIGURED',
      message: 'Requested chain 298 is not supported for importing from Etherscan.',
    });
  });

  it('knows private addresses', () => {
    const those = [
      '127.0.0.1',
      '10.0.0.1',
      '172.31.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      'fe80::1',
    ];
    expect([...those, '0.0.0.0', '::ffff:10.0.0.1'].filter((address) => !isPrivateAddress(address))).toEqual([]);
    expect(['203.0.113.7', '172.32.0.1', '8.8.8.8', '2606:4700::1'].filter(isPrivateAddress)).toEqual([]);
  });
});
