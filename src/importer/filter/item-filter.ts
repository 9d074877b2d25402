/** Which transactions the importer stores: `parser.include` and `parser.exclude`. */
import type { SettingsOf } from '../../config/setting.ts';
import type { importerSettings } from '../../config/settings/importer.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type EntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { transactionTypeNames, transactionTypeNumber } from '../../ledger/transaction-type.ts';
import { accountIdOf, tokenIdOf } from '../common/ids.ts';
import type { RecordItem } from '../record-item.ts';
import { compileExpression } from './expression.ts';

/** Whether a transaction is stored, given its main entity. */
export type ItemFilter = (item: RecordItem, entityId: EntityId) => boolean;

type ParserSettings = Pick<SettingsOf<typeof importerSettings>['parser'], 'include' | 'exclude'>;
type FilterSettings = ParserSettings['include'][number];

/** Shard and realm of entities that are given by their number alone. */
interface NetworkIds {
  readonly shard: bigint;
  readonly realm: bigint;
}

const SETTING = 'hiero.mirror.importer.parser';

/**
 * The filter that the settings describe: any of `include` matches, if there are any, and none of `exclude` does.
 * Undefined when everything is stored.
 * @throws KagamiError CONFIG_INVALID naming the setting of an unknown type, a malformed entity or a bad expression
 */
export const compileItemFilter = (settings: ParserSettings, network: NetworkIds): ItemFilter | undefined => {
  const compileAll = (list: 'include' | 'exclude'): ItemFilter[] =>
    settings[list].map((filter, index) => compileFilter(filter, `${SETTING}.${list}[${index}]`, network));
  const included = compileAll('include');
  const excluded = compileAll('exclude');
  if (included.length === 0 && excluded.length === 0) return undefined;
  return (item, entityId) =>
    (included.length === 0 || included.some((matches) => matches(item, entityId))) &&
    !excluded.some((matches) => matches(item, entityId));
};

/** All conditions that one filter gives; the cheap ones are asked first. */
const compileFilter = (filter: FilterSettings, setting: string, network: NetworkIds): ItemFilter => {
  const conditions: ItemFilter[] = [];
  if (filter.transaction.length > 0) {
    const types = new Set(filter.transaction.map((name) => typeNumber(name, `${setting}.transaction`)));
    conditions.push(({ type }) => types.has(type));
  }
  if (filter.entity.length > 0) {
    const entities = new Set(filter.entity.map((text) => entityOf(text, `${setting}.entity`, network)));
    conditions.push((item, entityId) => concernsAny(item, entityId, entities));
  }
  if (filter.expression.trim() !== '') {
    const fulfils = compileExpression(filter.expression, `${setting}.expression`);
    conditions.push((item) => fulfils(item));
  }
  return (item, entityId) => conditions.every((holds) => holds(item, entityId));
};

const typeNumber = (name: string, setting: string): number => {
  const number = transactionTypeNumber(name.trim().toUpperCase());
  if (number !== undefined) return number;
  throw new KagamiError(
    'CONFIG_INVALID',
    `${setting}: ${JSON.stringify(name)} is no transaction type; these are: ${transactionTypeNames.join(', ')}`,
    { details: { setting } },
  );
};

const entityOf = (text: string, setting: string, network: NetworkIds): EntityId => {
  const entityId = parseEntityId(text.trim(), network);
  if (entityId !== undefined) return entityId;
  throw new KagamiError('CONFIG_INVALID', `${setting}: ${JSON.stringify(text)} is no entity id such as 0.0.1001`, {
    details: { setting },
  });
};

/** Main entity, payer, and whoever and whatever the record's transfers name. */
const concernsAny = (item: RecordItem, entityId: EntityId, entities: ReadonlySet<EntityId>): boolean => {
  if (entities.has(entityId) || entities.has(item.payer)) return true;
  const { transferList, tokenTransferLists } = item.record;
  if (transferList?.accountAmounts.some(({ accountID }) => entities.has(accountIdOf(accountID)))) return true;
  return tokenTransferLists.some(
    ({ token, transfers, nftTransfers }) =>
      entities.has(tokenIdOf(token)) ||
      transfers.some(({ accountID }) => entities.has(accountIdOf(accountID))) ||
      nftTransfers.some(
        ({ senderAccountID, receiverAccountID }) =>
          entities.has(accountIdOf(senderAccountID)) || entities.has(accountIdOf(receiverAccountID)),
      ),
  );
};
