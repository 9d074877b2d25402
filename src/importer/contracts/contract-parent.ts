/** To which contract transaction an item of a contract's making belongs. */
import type { RecordItem } from '../record-item.ts';

/** The hook system contract, 0x16d ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). */
export const HOOK_CONTRACT_NUM = 365n;

/**
 * The execution of a hook that set off this child: walking back over the items before it, the first whose result is of
 * the hook contract, unless the parent or an item without a contract result comes first.
 */
const hookParentOf = (item: RecordItem): RecordItem | undefined => {
  const { parent, resultContract } = item;
  if (resultContract === undefined || resultContract === HOOK_CONTRACT_NUM) return undefined;
  for (let before = item.previous; before !== undefined && before !== parent; before = before.previous) {
    if (before.resultContract === HOOK_CONTRACT_NUM) return before;
    if (before.resultContract === undefined) return undefined;
  }
  return undefined;
};

/** The execution of a hook that the item belongs to, else its parent if that has a contract result. */
export const contractParentOf = (item: RecordItem): RecordItem | undefined => {
  const { parent } = item;
  if (parent === undefined) return undefined;
  return hookParentOf(item) ?? (parent.resultContract === undefined ? undefined : parent);
};
