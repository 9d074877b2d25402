import { readFileSync } from 'node:fs';
import solc from 'solc';

export interface CompiledContract {
  readonly initCode: Uint8Array;
  /** Selectors by signature, 8 hex digits. */
  readonly selectors: Readonly<Record<string, string>>;
}

interface SolcOutput {
  readonly contracts: Record<
    string,
    Record<string, { evm: { bytecode: { object: string }; methodIdentifiers: Record<string, string> } }>
  >;
}

/** The contracts of contracts.sol by name, optimised as projects usually do. */
export const compileContracts = (): Readonly<Record<string, CompiledContract>> => {
  const content = readFileSync(new URL('./contracts.sol', import.meta.url), 'utf8');
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'contracts.sol': { content } },
        settings: {
          evmVersion: 'cancun',
          optimizer: { enabled: true, runs: 200 },
          outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.methodIdentifiers'] } },
        },
      }),
    ),
  ) as SolcOutput;
  return Object.fromEntries(
    Object.entries(output.contracts['contracts.sol'] ?? {}).map(([name, { evm }]) => [
      name,
      { initCode: new Uint8Array(Buffer.from(evm.bytecode.object, 'hex')), selectors: evm.methodIdentifiers },
    ]),
  );
};
