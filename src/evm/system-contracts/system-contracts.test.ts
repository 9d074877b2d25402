import { describe, expect, it } from 'vitest';
import { accountServiceFunctions } from './account-service/account-service.ts';
import { createSystemContracts, feeSelectors } from './system-contracts.ts';
import { inputOf, longZero, recordedRun, systemCall } from './testing/system-call.fixture.ts';
import { tokenServiceFunctions } from './token-service/token-service.ts';

const selectors = (functions: typeof tokenServiceFunctions, route: 'direct' | 'redirect'): readonly string[] =>
  functions
    .filter((entry) => entry.kind === 'view' && entry.route === route)
    .map(({ selector }) => selector.toString(16).padStart(8, '0'))
    .sort();

describe('system contracts', () => {
  it('stand at their addresses', () => {
    const contracts = createSystemContracts();
    expect([...contracts].map(([address, { number }]) => [address, number])).toEqual(
      [0x167n, 0x168n, 0x169n, 0x16an, 0x16bn, 0x16cn].map((number) => [longZero(number), number]),
    );
  });

  it('do not support the second token service', async () => {
    const contract = createSystemContracts().get(longZero(0x16cn));
    const call = systemCall(inputOf('isToken(address)', `0x${longZero(2001n)}`));
    expect(await contract?.call(call, recordedRun())).toEqual({ outcome: 'halt', reason: 'NOT_SUPPORTED' });
  });

  it('serve every view of the token service by its selector', () => {
    expect(selectors(tokenServiceFunctions, 'direct')).toEqual(
      [
        '927da105 098f2366 f49f40db 19f37361 46de0fb1 f2c31ff4 93272baf 3c4dd32e d614cdb8 ae7611a0 a7daa18d 335e04c1',
        '1f69565f 3f28a19b 287e1da8',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    );
    expect(selectors(tokenServiceFunctions, 'redirect')).toEqual(
      '06fdde03 95d89b41 313ce567 18160ddd 70a08231 6352211e c87b56dd 081812fc e985e9c5 dd62ed3e 4d8fdd6d'
        .split(' ')
        .sort(),
    );
  });

  it('serve every function of the account service by its selector', () => {
    const all = accountServiceFunctions.map(({ selector }) => selector.toString(16).padStart(8, '0'));
    expect(all.sort()).toEqual(
      'dea3d081 bbf12d2e 308ef301 fec46666 bbee989e a0918464 86aff07c b2a31da4 b2526367 f5677e99'.split(' ').sort(),
    );
  });

  it('take the fee of a new token', () => {
    expect([...feeSelectors].map((selector) => selector.toString(16).padStart(8, '0')).sort()).toEqual(
      ['7812a04b c23baeb6 0fb65bf3 4c381ae7 b937581a 2af0c59a 9dc711e0 9c89bb35 ea83f293 5bc7c0e6 45733969 abb54eb5']
        .join(' ')
        .split(' ')
        .sort(),
    );
  });
});
