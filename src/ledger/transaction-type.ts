/** Transaction types by their field number in TransactionBody.data, with the names that REST shows. */
const transactionTypes = {
  7: 'CONTRACTCALL',
  8: 'CONTRACTCREATEINSTANCE',
  9: 'CONTRACTUPDATEINSTANCE',
  10: 'CRYPTOADDLIVEHASH',
  11: 'CRYPTOCREATEACCOUNT',
  12: 'CRYPTODELETE',
  13: 'CRYPTODELETELIVEHASH',
  14: 'CRYPTOTRANSFER',
  15: 'CRYPTOUPDATEACCOUNT',
  16: 'FILEAPPEND',
  17: 'FILECREATE',
  18: 'FILEDELETE',
  19: 'FILEUPDATE',
  20: 'SYSTEMDELETE',
  21: 'SYSTEMUNDELETE',
  22: 'CONTRACTDELETEINSTANCE',
  23: 'FREEZE',
  24: 'CONSENSUSCREATETOPIC',
  25: 'CONSENSUSUPDATETOPIC',
  26: 'CONSENSUSDELETETOPIC',
  27: 'CONSENSUSSUBMITMESSAGE',
  28: 'UNCHECKEDSUBMIT',
  29: 'TOKENCREATION',
  31: 'TOKENFREEZE',
  32: 'TOKENUNFREEZE',
  33: 'TOKENGRANTKYC',
  34: 'TOKENREVOKEKYC',
  35: 'TOKENDELETION',
  36: 'TOKENUPDATE',
  37: 'TOKENMINT',
  38: 'TOKENBURN',
  39: 'TOKENWIPE',
  40: 'TOKENASSOCIATE',
  41: 'TOKENDISSOCIATE',
  42: 'SCHEDULECREATE',
  43: 'SCHEDULEDELETE',
  44: 'SCHEDULESIGN',
  45: 'TOKENFEESCHEDULEUPDATE',
  46: 'TOKENPAUSE',
  47: 'TOKENUNPAUSE',
  48: 'CRYPTOAPPROVEALLOWANCE',
  49: 'CRYPTODELETEALLOWANCE',
  50: 'ETHEREUMTRANSACTION',
  51: 'NODESTAKEUPDATE',
  52: 'UTILPRNG',
  53: 'TOKENUPDATENFTS',
  54: 'NODECREATE',
  55: 'NODEUPDATE',
  56: 'NODEDELETE',
  57: 'TOKENREJECT',
  58: 'TOKENAIRDROP',
  59: 'TOKENCANCELAIRDROP',
  60: 'TOKENCLAIMAIRDROP',
  65: 'STATESIGNATURETRANSACTION',
  66: 'HINTSPREPROCESSINGVOTE',
  67: 'HINTSKEYPUBLICATION',
  68: 'HINTSPARTIALSIGNATURE',
  69: 'HISTORYPROOFSIGNATURE',
  70: 'HISTORYPROOFKEYPUBLICATION',
  71: 'HISTORYPROOFVOTE',
  72: 'CRSPUBLICATION',
  74: 'ATOMICBATCH',
  75: 'HOOKSTORE',
  77: 'LEDGERIDPUBLICATION',
  78: 'REGISTEREDNODECREATE',
  79: 'REGISTEREDNODEUPDATE',
  80: 'REGISTEREDNODEDELETE',
  81: 'MIGRATIONROOTHASHVOTE',
} as const;

const names = new Map<number, string>(Object.entries(transactionTypes).map(([number, name]) => [Number(number), name]));
const numbers = new Map<string, number>([...names].map(([number, name]) => [name, number]));

/** The names of all known transaction types. */
export const transactionTypeNames: readonly string[] = [...numbers.keys()];

/** REST name of a transaction type (`CRYPTOTRANSFER` for 14), `UNKNOWN` for a number without a name. */
export const transactionTypeName = (type: number): string => names.get(type) ?? 'UNKNOWN';

export const transactionTypeNumber = (name: string): number | undefined => numbers.get(name);

/** Number of a transaction type by its name; for code that names types literally. */
export const TransactionType = Object.fromEntries(
  Object.entries(transactionTypes).map(([number, name]) => [name, Number(number)]),
) as { readonly [N in keyof typeof transactionTypes as (typeof transactionTypes)[N]]: N };
