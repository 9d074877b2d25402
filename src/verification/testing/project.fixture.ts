/** A Solidity project of many files that import each other, of the kind and size that protocols have. */
import { compile } from '../compilers/compile.ts';
import { openCompilerStore } from '../compilers/compiler-store.ts';
import type { CompilerInput } from '../model.ts';
import { type Compiled, solidityInput, VERSION } from './deployment.fixture.ts';

const HEADER = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n';
const FUNCTIONS_OF_LIBRARY = 24;

const library = (n: number): string => {
  const functions = Array.from(
    { length: FUNCTIONS_OF_LIBRARY },
    (_, f) => `
  /// @notice Weighs an amount by the share of tranche ${f} in pool ${n}.
  /// @dev Rounds down; reverts when the sum leaves 256 bits.
  /// @param amount in the smallest unit of the token
  /// @param share of the whole, in basis points
  function weigh${f}(uint256 amount, uint256 share) internal pure returns (uint256) {
    uint256 part = (amount * (share + ${n * FUNCTIONS_OF_LIBRARY + f})) / 10_000;
    if (part > amount) revert Pool${n}Exceeded(amount, part);
    return part + ${f};
  }
`,
  );
  return `${HEADER}
library PoolMath${n} {
  error Pool${n}Exceeded(uint256 amount, uint256 part);
${functions.join('')}}
`;
};

const contractInterface = (n: number): string => `${HEADER}
/// @title What others may ask of pool ${n}.
interface IPool${n} {
  struct Position${n} { address owner; uint128 amount; uint64 since; uint64 until; }
  event Deposited${n}(address indexed owner, uint256 amount, uint256 weight);
  event Withdrawn${n}(address indexed owner, uint256 amount);
  error NotOwner${n}(address caller);
  function deposit${n}(uint256 amount) external returns (uint256 weight);
  function withdraw${n}(uint256 amount) external;
  function position${n}(address owner) external view returns (Position${n} memory);
}
`;

const pool = (n: number): string => `${HEADER}
import {IPool${n}} from "contracts/interfaces/IPool${n}.sol";
import {PoolMath${n}} from "contracts/libraries/PoolMath${n}.sol";
${n > 0 ? `import {PoolMath${n - 1}} from "contracts/libraries/PoolMath${n - 1}.sol";\n` : ''}
contract Pool${n} is IPool${n} {
  using PoolMath${n} for uint256;
  mapping(address => Position${n}) private positions;
  uint256 public total${n};

  /// @inheritdoc IPool${n}
  function deposit${n}(uint256 amount) public virtual returns (uint256 weight) {
    Position${n} storage held = positions[msg.sender];
    weight = amount.weigh0(100) + amount.weigh1(200)${n > 0 ? ` + PoolMath${n - 1}.weigh2(amount, 300)` : ''};
    held.owner = msg.sender;
    held.amount += uint128(amount);
    held.since = uint64(block.timestamp);
    total${n} += amount;
    emit Deposited${n}(msg.sender, amount, weight);
  }

  /// @inheritdoc IPool${n}
  function withdraw${n}(uint256 amount) public virtual {
    Position${n} storage held = positions[msg.sender];
    if (held.owner != msg.sender) revert NotOwner${n}(msg.sender);
    held.amount -= uint128(amount);
    total${n} -= amount;
    emit Withdrawn${n}(msg.sender, amount);
  }

  /// @inheritdoc IPool${n}
  function position${n}(address owner) public view returns (Position${n} memory) { return positions[owner]; }
}
`;

/** Pools that the main contract consists of; more of them would not fit the limit on a contract's size. */
const INHERITED = 6;

const main = (pools: number): string => {
  const numbers = Array.from({ length: pools }, (_, n) => n);
  const imports = numbers.map((n) => `import {Pool${n}} from "contracts/pools/Pool${n}.sol";`).join('\n');
  const parents = numbers.slice(0, INHERITED).map((n) => `Pool${n}`);
  return `${HEADER}
${imports}

contract Protocol is ${parents.join(', ')} {
  address public immutable governor;
  constructor(address governor_) { governor = governor_; }
}
`;
};

export interface Project {
  readonly sources: Readonly<Record<string, string>>;
  readonly path: string;
  readonly name: string;
}

/** Three files for each pool, and one that imports them. */
export const projectOf = (pools: number): Project => {
  const path = 'contracts/Protocol.sol';
  const sources: Record<string, string> = { [path]: main(pools) };
  for (let n = 0; n < pools; n++) {
    sources[`contracts/libraries/PoolMath${n}.sol`] = library(n);
    sources[`contracts/interfaces/IPool${n}.sol`] = contractInterface(n);
    sources[`contracts/pools/Pool${n}.sol`] = pool(n);
  }
  return { sources, path, name: 'Protocol' };
};

/** Its main contract. */
export const compileProject = async ({ sources, path, name }: Project): Promise<Compiled> => {
  const store = openCompilerStore({ folder: '/nowhere', download: false, mirror: '', vyper: new Map() });
  const outputSelection = { [path]: { [name]: ['evm.bytecode.object', 'metadata'] } };
  const input: CompilerInput = {
    ...solidityInput(sources),
    settings: { outputSelection },
  };
  const bounds = { timeoutMs: 120_000, memoryMb: 2048 };
  const { contracts = {} } = await compile(await store.locate('Solidity', VERSION), input, bounds);
  const { evm, metadata } = (contracts[path]?.[name] ?? {}) as {
    evm: { bytecode: { object: string } };
    metadata: string;
  };
  return { creation: `0x${evm.bytecode.object}`, metadata };
};
