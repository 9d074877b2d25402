/** The bytes of blocks that are not those of the ledger. */
import type { Random } from '../../simulator/random.ts';
import { BlockItemField as Field } from '../../streams/block/block.ts';
import { WireReader } from '../../streams/wire.ts';
import type { Forgery } from './block-fault-plan.fixture.ts';

export interface ForgeryMaterial {
  /** By number. */
  readonly blocks: readonly Uint8Array[];
  /** Of another ledger, by number. */
  readonly others: readonly Uint8Array[];
}

interface Item {
  readonly field: number;
  /** With its tag, as it stands in a block. */
  readonly bytes: Uint8Array;
}

const itemsOf = (block: Uint8Array): Item[] => {
  const items: Item[] = [];
  const fields = new WireReader(block, 'block');
  while (fields.next()) {
    const item = fields.message();
    item.next();
    items.push({ field: item.field, bytes: block.subarray(fields.tagStart, fields.end) });
  }
  return items;
};

const joined = (items: readonly Item[]): Uint8Array => Buffer.concat(items.map(({ bytes }) => bytes));

const flipped = (bytes: Uint8Array, from: number, to: number, random: Random): Uint8Array => {
  const changed = Uint8Array.from(bytes);
  const at = random.between(from, to - 1);
  changed[at] = (changed[at] as number) ^ (1 << random.below(8));
  return changed;
};

/** A BlockItem of field 40, which no tree has a place for: those of fields that are multiples of 20. */
const UNHASHED: Item = { field: 40, bytes: Buffer.from('0a05c20202dead', 'hex') };
/** Bytes of a footer before the first hash in it: tags and lengths. */
const FOOTER_START = 8;

/** A block that stands where `number` belongs, forged in one way. May be the true one where a way has no meaning. */
export const forgedBlockOf = (
  forgery: Forgery,
  number: number,
  { blocks, others }: ForgeryMaterial,
  random: Random,
): Uint8Array => {
  const block = blocks[number] as Uint8Array;
  const next = blocks[number + 1] ?? (blocks[number - 1] as Uint8Array);
  const before = blocks[number - 1] ?? next;
  const items = itemsOf(block);
  const indexOf = (field: number): number => items.findIndex((item) => item.field === field);
  const without = (field: number): Item[] => items.filter((item) => item.field !== field);
  const middle = items.length >> 1;
  switch (forgery) {
    case 'bit flipped':
      return flipped(block, 0, block.length, random);
    case 'bit of the proof flipped': {
      const proof = items.at(-1) as Item;
      return flipped(block, block.length - proof.bytes.length, block.length, random);
    }
    case 'proof of another block':
      return joined([
        ...without(Field.blockProof),
        ...itemsOf(before).filter(({ field }) => field === Field.blockProof),
      ]);
    case 'without proof':
      return joined(without(Field.blockProof));
    case 'without footer':
      return joined(without(Field.blockFooter));
    case 'wrong previous hash': {
      const at = indexOf(Field.blockFooter);
      const footer = items[at] as Item;
      const changed = { ...footer, bytes: flipped(footer.bytes, FOOTER_START, FOOTER_START + 40, random) };
      return joined(items.with(at, changed));
    }
    case 'cut off':
      return block.subarray(0, random.between(1, block.length - 1));
    case 'a transaction less': {
      const at = indexOf(Field.signedTransaction);
      return at < 0 ? joined(items.toSpliced(middle, 1)) : joined(items.toSpliced(at, 2));
    }
    case 'an item twice':
      return joined(items.toSpliced(middle, 0, items[middle] as Item));
    case 'items exchanged':
      return joined(items.with(middle, items[middle - 1] as Item).with(middle - 1, items[middle] as Item));
    case 'items of the next block within':
      return joined(items.toSpliced(middle, 0, ...itemsOf(next).slice(1, 4)));
    case 'the next block behind it':
      return Buffer.concat([block, next]);
    case 'record file within': {
      const file = others.flatMap(itemsOf).find(({ field }) => field === Field.recordFile);
      return file === undefined ? joined(without(Field.recordFile)) : joined(items.toSpliced(1, 0, file));
    }
    case 'item that no hash covers':
      return joined(items.toSpliced(middle, 0, UNHASHED));
    case 'block of another ledger':
      return others[number] ?? next;
    case 'the next block':
      return next;
    case 'the block before':
      return before;
  }
};
