/** Schemas of what verification takes and answers, for the documentation of the interface. */

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const orNull = (type: string): Schema => ({ type: [type, 'null'] });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required }),
  properties,
});

const address: Schema = {
  type: 'string',
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'EVM address; in answers with its check sum.',
};
const chainId: Schema = { type: 'string', description: 'Decimal digits.', examples: ['298'] };
const files: Schema = {
  type: 'object',
  additionalProperties: text,
  description: 'Contents by file name.',
};
const match: Schema = { type: ['string', 'null'], enum: ['exact_match', 'match', null] };
const creatorTxHash: Schema = {
  type: ['string', 'null'],
  description: 'Hash (32 or 48 bytes) or id of the creating transaction; found by itself when left out.',
};

export const verificationSchemas: Readonly<Record<string, Schema>> = {
  VerificationClaim: object(
    { address, chainId, creatorTxHash, verificationId: { ...text, description: 'Of the contract in the session.' } },
    ['address', 'chainId', 'verificationId'],
  ),
  VerificationContract: object(
    {
      verificationId: text,
      compiledPath: { ...text, description: 'Source file of the contract.' },
      name: text,
      compilerVersion: text,
      address,
      chainId,
      files: object({
        found: listOf(text),
        missing: listOf(text),
        invalid: { type: 'object', additionalProperties: true, description: 'Sources that differ from the metadata.' },
      }),
      status: { ...text, enum: ['perfect', 'partial', 'error'] },
      statusMessage: { ...text, description: 'Why nothing matched.' },
      storageTimestamp: { ...text, format: 'date-time', description: 'When the verified contract was stored.' },
    },
    ['verificationId', 'compiledPath', 'name', 'compilerVersion', 'files'],
  ),
  VerificationSession: object(
    {
      contracts: listOf(ref('VerificationContract')),
      unused: { ...listOf(text), description: 'Files that no contract needs.' },
      files: { ...listOf(text), description: 'All files in the session.' },
    },
    ['contracts', 'unused', 'files'],
  ),
  VerificationUpload: object({ files: { ...files, description: 'Contents by file name; a zip archive is unpacked.' } }),
  VerificationRequest: object(
    { address, chain: { ...chainId, description: 'Decimal digits; `chainId` means the same.' }, files, creatorTxHash },
    ['address', 'chain'],
  ),
  VerificationResult: object(
    {
      result: listOf(
        object(
          {
            address,
            chainId,
            status: { ...text, enum: ['perfect', 'partial'] },
            contractName: text,
            storageTimestamp: text,
          },
          ['address', 'chainId', 'status'],
        ),
      ),
    },
    ['result'],
  ),
  VerificationFile: object({ name: text, path: text, content: text }, ['name', 'path', 'content']),
  VerificationJob: object(
    {
      verificationId: { ...text, format: 'uuid' },
      isJobCompleted: flag,
      jobStartTime: { ...text, format: 'date-time' },
      jobFinishTime: { ...text, format: 'date-time' },
      compilationTime: { ...text, description: 'Milliseconds.' },
      contract: ref('VerifiedContract'),
      error: ref('VerificationProblem'),
    },
    ['verificationId', 'isJobCompleted', 'jobStartTime', 'contract'],
  ),
  VerifiedContract: {
    ...object(
      {
        match,
        creationMatch: match,
        runtimeMatch: match,
        chainId,
        address,
        verifiedAt: { ...text, format: 'date-time' },
        matchId: text,
      },
      ['match', 'creationMatch', 'runtimeMatch', 'chainId', 'address'],
    ),
    additionalProperties: true,
  },
  VerificationProblem: object({ customCode: text, message: text, errorId: { ...text, format: 'uuid' } }, [
    'customCode',
    'message',
    'errorId',
  ]),
  VerificationRefusal: object({ error: text, message: text, errors: listOf({ type: 'object' }) }, ['message']),
  VerificationChain: object({ name: text, chainId: { type: 'integer' }, rpc: listOf(text), supported: flag }, [
    'name',
    'chainId',
    'supported',
  ]),
  CreationTransactionHash: object({ creationTransactionHash: orNull('string') }),
  StandardJsonRequest: object(
    {
      stdJsonInput: { type: 'object', description: "The compiler's standard JSON input." },
      compilerVersion: { ...text, examples: ['0.8.28+commit.7893614a'] },
      contractIdentifier: { ...text, examples: ['contracts/Token.sol:Token'] },
      creationTransactionHash: orNull('string'),
    },
    ['stdJsonInput', 'compilerVersion', 'contractIdentifier'],
  ),
  MetadataRequest: object({ metadata: { type: 'object' }, sources: files, creationTransactionHash: orNull('string') }, [
    'metadata',
    'sources',
  ]),
  ExplorerRequest: object({
    apiKey: { ...text, description: 'For the other explorer; passed on and never kept.' },
  }),
};
