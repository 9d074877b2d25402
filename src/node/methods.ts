/** The methods of a node's services. Their names matter to nobody: every transaction and every query takes one way. */
type MethodKind = 'transaction' | 'query';

const transactions = (service: string, names: string): [string, MethodKind][] =>
  names.split(' ').map((name) => [`/proto.${service}/${name}`, 'transaction']);
const queries = (service: string, names: string): [string, MethodKind][] =>
  names.split(' ').map((name) => [`/proto.${service}/${name}`, 'query']);

export const methods: ReadonlyMap<string, MethodKind> = new Map([
  ...transactions(
    'AddressBookService',
    'createNode deleteNode updateNode createRegisteredNode deleteRegisteredNode updateRegisteredNode',
  ),
  ...transactions('ConsensusService', 'createTopic updateTopic deleteTopic submitMessage'),
  ...queries('ConsensusService', 'getTopicInfo'),
  ...transactions(
    'CryptoService',
    'createAccount updateAccount cryptoTransfer cryptoDelete approveAllowances deleteAllowances addLiveHash deleteLiveHash',
  ),
  ...queries(
    'CryptoService',
    'getLiveHash getAccountRecords cryptoGetBalance getAccountInfo getTransactionReceipts getTxRecordByTxID',
  ),
  ...transactions('FileService', 'createFile updateFile deleteFile appendContent systemDelete systemUndelete'),
  ...queries('FileService', 'getFileContent getFileInfo'),
  ...transactions('FreezeService', 'freeze'),
  ...transactions('NetworkService', 'uncheckedSubmit'),
  ...queries('NetworkService', 'getVersionInfo getAccountDetails getExecutionTime'),
  ...transactions('ScheduleService', 'createSchedule signSchedule deleteSchedule'),
  ...queries('ScheduleService', 'getScheduleInfo'),
  ...transactions(
    'SmartContractService',
    'createContract updateContract contractCallMethod deleteContract systemDelete systemUndelete callEthereum hookStore',
  ),
  ...queries(
    'SmartContractService',
    'contractCallLocalMethod getContractInfo ContractGetBytecode getBySolidityID getTxRecordByContractID',
  ),
  ...transactions(
    'TokenService',
    'createToken updateToken mintToken burnToken deleteToken wipeTokenAccount freezeTokenAccount unfreezeTokenAccount ' +
      'grantKycToTokenAccount revokeKycFromTokenAccount associateTokens dissociateTokens updateTokenFeeSchedule ' +
      'pauseToken unpauseToken updateNfts rejectToken airdropTokens cancelAirdrop claimAirdrop',
  ),
  ...queries('TokenService', 'getTokenInfo getTokenNftInfo'),
  ...transactions('UtilService', 'prng atomicBatch'),
]);
