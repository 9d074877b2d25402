import { mintedMetadata } from '../activity/tokens/token-record.ts';
import type { Token } from '../state/ledger-entities.ts';
import type { LedgerState } from '../state/ledger-state.ts';

export interface ExpectedNft {
  /** Account number of the owner, undefined once it is burned or wiped. */
  readonly owner: bigint | undefined;
  readonly metadata: string;
  /** Account number of who may move it besides. */
  readonly spender: bigint | undefined;
}

export interface ExpectedToken {
  readonly nft: boolean;
  readonly deleted: boolean;
  readonly name: string;
  readonly supply: bigint;
  readonly treasury: bigint;
  readonly paused: boolean;
  /** By account number: every associated account, also those with nothing. */
  readonly balances: ReadonlyMap<bigint, bigint>;
  /** Freeze and KYC as the table numbers them, `2/1`, by account number: 0 not applicable, 1 frozen or granted, 2 not. */
  readonly relations: ReadonlyMap<bigint, string>;
  /** Owner's account number by live serial number. */
  readonly owners: ReadonlyMap<bigint, bigint>;
  /** All that were ever minted. */
  readonly serials: ReadonlyMap<bigint, ExpectedNft>;
}

export const expectedTokens = (state: LedgerState): Map<bigint, ExpectedToken> =>
  new Map([...state.fungible, ...state.nfts, ...state.deletedTokens].map((token) => [token.num, expectedToken(token)]));

const expectedToken = (token: Token): ExpectedToken => ({
  nft: token.nft,
  deleted: token.deleted,
  name: token.name,
  supply: token.supply,
  treasury: token.treasury.num,
  paused: token.paused,
  balances: new Map(token.holders.map((account) => [account.num, account.holdings.get(token.num)?.balance ?? 0n])),
  relations: new Map(
    token.holders.map((account) => {
      const holding = account.holdings.get(token.num);
      const freeze = token.hasFreezeKey ? (holding?.frozen === true ? 1 : 2) : 0;
      const kyc = token.hasKycKey ? (holding?.kyc === true ? 1 : 2) : 0;
      return [account.num, `${freeze}/${kyc}`];
    }),
  ),
  owners: new Map([...token.owners].map(([serial, owner]) => [serial, owner.num])),
  serials: new Map(
    Array.from({ length: Number(token.nextSerial) - 1 }, (_, index) => {
      const serial = BigInt(index + 1);
      return [
        serial,
        {
          owner: token.owners.get(serial)?.num,
          metadata: token.metadata.get(serial) ?? mintedMetadata(token, serial),
          spender: token.spenders.get(serial),
        },
      ];
    }),
  ),
});
