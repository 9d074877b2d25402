/** `/api/v1/blocks/{hashOrNumber}`: one block. */
import { isNonNegativeInt8 } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { invalidParameters } from '../../api/query.ts';
import { endpoint, one, oneAnswer } from '../../api/resource/endpoint.ts';
import { block } from './block.ts';

const hashText = /^(?:0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$/;
const fullHashDigits = 96;

// A range instead of `like`, which an index of another collation than C could not serve.
const byHash = block.statement(
  'select * from record_file where hash >= $1 and hash <= $2 order by hash limit 1',
  'p.hash',
);

const byNumber = block.statement(
  'select * from record_file where index = $1 order by consensus_end limit 1',
  'p.index',
);

export const blockById = endpoint({
  path: '/api/v1/blocks/{hashOrNumber}',
  flavour: 'js',
  cacheSeconds: 600,
  operationId: 'getBlock',
  summary: 'Get a block by its hash or number',
  tag: 'blocks',
  refusals: 'in order',
  pathParameters: {
    hashOrNumber: {
      description: 'Number in decimal; or all 48 bytes of the hash, or its first 32, in hex with optional 0x.',
      schema: { type: 'string', pattern: '^(\\d{1,19}|(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96}))$' },
      example: '77',
    },
  },
  parameters: {},
  answer: one(block, 'The block.'),
  problems: [400, 404],

  handle: async ({ path: { hashOrNumber } }, { db }) => {
    const hash = hashText.exec(hashOrNumber)?.[1]?.toLowerCase();
    if (hash === undefined && !isNonNegativeInt8(hashOrNumber)) throw invalidParameters('hashOrNumber');
    const [row] =
      hash === undefined
        ? await block.read(db, byNumber, [hashOrNumber])
        : await block.read(db, byHash, [hash, hash.padEnd(fullHashDigits, 'f')]);
    if (row === undefined) throw notFound();
    return oneAnswer(row, block.put);
  },
});
