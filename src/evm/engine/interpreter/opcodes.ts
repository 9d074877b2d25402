/** Static facts about instructions: names as traces show them, static gas, stack needs. */

/** Static gas that the loop takes off; instructions that need the host are charged by their handlers. */
export const STATIC_GAS = new Uint16Array(256);
/** Words that must be on the stack. */
export const NEEDS = new Uint8Array(256);
export const NAMES: (string | undefined)[] = new Array<string | undefined>(256);

const define = (code: number, name: string, needs: number, gas: number): void => {
  NAMES[code] = name;
  NEEDS[code] = needs;
  STATIC_GAS[code] = gas;
};

const table: readonly (readonly [code: number, names: string, needs: number, gas: number])[] = [
  [0x00, 'STOP', 0, 0],
  [0x01, 'ADD', 2, 3],
  [0x02, 'MUL', 2, 5],
  [0x03, 'SUB', 2, 3],
  [0x04, 'DIV SDIV MOD SMOD', 2, 5],
  [0x08, 'ADDMOD MULMOD', 3, 8],
  [0x0a, 'EXP', 2, 10],
  [0x0b, 'SIGNEXTEND', 2, 5],
  [0x10, 'LT GT SLT SGT EQ', 2, 3],
  [0x15, 'ISZERO', 1, 3],
  [0x16, 'AND OR XOR', 2, 3],
  [0x19, 'NOT', 1, 3],
  [0x1a, 'BYTE SHL SHR SAR', 2, 3],
  [0x20, 'KECCAK256', 2, 30],
  [0x30, 'ADDRESS', 0, 2],
  [0x31, 'BALANCE', 1, 0],
  [0x32, 'ORIGIN CALLER CALLVALUE', 0, 2],
  [0x35, 'CALLDATALOAD', 1, 3],
  [0x36, 'CALLDATASIZE', 0, 2],
  [0x37, 'CALLDATACOPY', 3, 3],
  [0x38, 'CODESIZE', 0, 2],
  [0x39, 'CODECOPY', 3, 3],
  [0x3a, 'GASPRICE', 0, 2],
  [0x3b, 'EXTCODESIZE', 1, 0],
  [0x3c, 'EXTCODECOPY', 4, 0],
  [0x3d, 'RETURNDATASIZE', 0, 2],
  [0x3e, 'RETURNDATACOPY', 3, 3],
  [0x3f, 'EXTCODEHASH', 1, 0],
  [0x40, 'BLOCKHASH', 1, 0],
  [0x41, 'COINBASE TIMESTAMP NUMBER PRNGSEED GASLIMIT CHAINID', 0, 2],
  [0x47, 'SELFBALANCE', 0, 0],
  [0x48, 'BASEFEE', 0, 2],
  [0x49, 'BLOBHASH', 1, 3],
  [0x4a, 'BLOBBASEFEE', 0, 2],
  [0x50, 'POP', 1, 2],
  [0x51, 'MLOAD', 1, 3],
  [0x52, 'MSTORE MSTORE8', 2, 3],
  [0x54, 'SLOAD', 1, 0],
  [0x55, 'SSTORE', 2, 0],
  [0x56, 'JUMP', 1, 8],
  [0x57, 'JUMPI', 2, 10],
  [0x58, 'PC MSIZE GAS', 0, 2],
  [0x5b, 'JUMPDEST', 0, 1],
  [0x5c, 'TLOAD', 1, 100],
  [0x5d, 'TSTORE', 2, 100],
  [0x5e, 'MCOPY', 3, 3],
  [0x5f, 'PUSH0', 0, 2],
  [0xf0, 'ħCREATE', 3, 0],
  [0xf1, 'CALL CALLCODE', 7, 0],
  [0xf3, 'RETURN', 2, 0],
  [0xf4, 'DELEGATECALL', 6, 0],
  [0xf5, 'ħCREATE2', 4, 0],
  [0xfa, 'STATICCALL', 6, 0],
  [0xfd, 'REVERT', 2, 0],
  [0xfe, 'INVALID', 0, 0],
  [0xff, 'SELFDESTRUCT', 1, 0],
];

for (const [first, names, needs, gas] of table) {
  for (const [index, name] of names.split(' ').entries()) define(first + index, name, needs, gas);
}
for (let n = 1; n <= 32; n += 1) define(0x5f + n, `PUSH${n}`, 0, 3);
for (let n = 1; n <= 16; n += 1) {
  define(0x7f + n, `DUP${n}`, n, 3);
  define(0x8f + n, `SWAP${n}`, n + 1, 3);
}
for (let n = 0; n <= 4; n += 1) define(0xa0 + n, `LOG${n}`, n + 2, 375 * (n + 1));

/** Charged after their operands are looked at, so that a missing operand shows before missing gas. */
export const checksOperandsFirst = (op: number): boolean =>
  op === 0x0a ||
  op === 0x20 ||
  op === 0x37 ||
  op === 0x39 ||
  op === 0x3e ||
  (op >= 0x51 && op <= 0x55) ||
  op === 0x5e ||
  (op >= 0xa0 && op <= 0xa4) ||
  STATIC_GAS[op] === 0;
