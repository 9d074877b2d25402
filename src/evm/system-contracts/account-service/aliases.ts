/** Views between the two addresses of an account ([HIP-632](https://hips.hedera.com/hip/hip-632)). */
import type { AddressHex, EntityRecord } from '../../state/records.ts';
import { longZeroHex, type World } from '../../state/world.ts';
import { addressWord, boolWord } from '../abi/encode.ts';
import { type SystemFunction, view } from '../function-table.ts';
import { answered, succeeded } from '../results.ts';
import { isAccountOrContract, ZERO_ADDRESS } from '../token-service/lookups.ts';

const noAddress = addressWord(ZERO_ADDRESS);

/** These views are the ones that may ask by number about an account that has an alias. */
const accountAt = async (world: World, address: AddressHex): Promise<EntityRecord | undefined> => {
  const entity = await world.entityAt(address);
  return entity !== undefined && isAccountOrContract(entity) ? entity : undefined;
};

export const aliasViews: readonly SystemFunction[] = [
  view<[longZero: AddressHex]>('getEvmAddressAlias(address)', async ([address], _call, { world }) => {
    const account = await accountAt(world, address);
    return account?.evmAddress === undefined || longZeroHex(account.id) !== address
      ? answered('INVALID_ACCOUNT_ID', noAddress)
      : answered('SUCCESS', addressWord(account.evmAddress));
  }),
  view<[alias: AddressHex]>('getHederaAccountNumAlias(address)', async ([address], _call, { world }) => {
    const account = await accountAt(world, address);
    return account === undefined || account.evmAddress !== address
      ? answered('INVALID_SOLIDITY_ADDRESS', noAddress)
      : answered('SUCCESS', addressWord(longZeroHex(account.id)));
  }),
  view<[address: AddressHex]>('isValidAlias(address)', async ([address], _call, { world }) =>
    succeeded(boolWord((await accountAt(world, address)) !== undefined)),
  ),
];
