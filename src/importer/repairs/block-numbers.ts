/** Before record files v6 blocks are counted from where an import began; one block whose number is known puts all right. */
import { isPast, type Repair } from './repair.ts';

const KNOWN_BLOCK_END = 1_656_461_547_557_609_267n;
const KNOWN_BLOCK_NUMBER = 34_305_852n;

export const blockNumbers: Repair = {
  name: 'block-numbers',
  setting: 'blockNumberMigration',
  isDue: (reach) => isPast(KNOWN_BLOCK_END, reach),
  async run(client) {
    const [known] = await client.query<{ index: string }>('select index from record_file where consensus_end = $1', [
      KNOWN_BLOCK_END,
    ]);
    const shift = known === undefined ? 0n : KNOWN_BLOCK_NUMBER - BigInt(known.index);
    if (shift === 0n) return 0;
    const [shifted] = await client.query<{ count: number }>(
      `with shifted as (update record_file set index = index + $1 returning 1)
       select count(*)::integer as count from shifted`,
      [shift],
    );
    return shifted?.count ?? 0;
  },
};
