/** A row of `nft`, with what its token's entity adds, as REST shows it. */
import { base64Json, booleanJson, entityIdJson, timestampJson } from '../../api/json.ts';

export interface NftRow {
  readonly account_id: string | null;
  readonly created_timestamp: string | null;
  readonly delegating_spender: string | null;
  readonly deleted: boolean | null;
  readonly metadata: Buffer | null;
  readonly modified_timestamp: string;
  readonly serial_number: string;
  readonly spender: string | null;
  readonly token_id: string;
}

/**
 * Columns of an `NftRow` over `nft n`. The token of a page is usually one and the same, so that its entity is looked up
 * and not joined; an NFT counts as deleted with its token.
 */
export const nftColumns = `n.account_id, n.created_timestamp, n.delegating_spender,
  n.deleted or coalesce((select e.deleted from entity e where e.id = n.token_id), false) as deleted, n.metadata,
  lower(n.timestamp_range) as modified_timestamp, n.serial_number, n.spender, n.token_id`;

export const nftJson = (row: NftRow): string =>
  `{"account_id":${entityIdJson(row.account_id)},"created_timestamp":${timestampJson(row.created_timestamp)},` +
  `"delegating_spender":${entityIdJson(row.delegating_spender)},"deleted":${booleanJson(row.deleted)},` +
  `"metadata":${base64Json(row.metadata)},"modified_timestamp":${timestampJson(row.modified_timestamp)},` +
  `"serial_number":${row.serial_number},"spender":${entityIdJson(row.spender)},` +
  `"token_id":${entityIdJson(row.token_id)}}`;
