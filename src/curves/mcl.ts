/**
 * Herumi's mcl in WebAssembly, by its functions on addresses: its own classes copy every operand, and all share one
 * curve. Field elements, points and scalars have the sizes that mcl was compiled for, whatever the curve.
 */
import createModule from 'mcl-wasm/dist/mcl_c.js';

export const FP_BYTES = 48;
export const FR_BYTES = 32;
export const G1_BYTES = 3 * FP_BYTES;
export const FP2_BYTES = 2 * FP_BYTES;
export const G2_BYTES = 3 * FP2_BYTES;
export const GT_BYTES = 12 * FP_BYTES;

const COMPILED_FOR = (FR_BYTES / 8) * 10 + FP_BYTES / 8;

/** Curves by mcl's numbers. */
export const BN254 = 4;
export const BLS12_381 = 5;

type Numeric = (...args: number[]) => number;
type Name =
  | 'mclBn_init'
  | 'mclBn_getCurveOrder'
  | 'mclBn_setETHserialization'
  | 'mclBn_verifyOrderG1'
  | 'mclBn_verifyOrderG2'
  | 'mclBn_millerLoopVec'
  | 'mclBn_finalExp'
  | 'mclBnFp_setInt32'
  | 'mclBnFp_setBigEndianMod'
  | 'mclBnFp_getLittleEndian'
  | 'mclBnFr_setBigEndianMod'
  | 'mclBnG1_clear'
  | 'mclBnG1_deserialize'
  | 'mclBnG1_serialize'
  | 'mclBnG1_isValid'
  | 'mclBnG1_isValidOrder'
  | 'mclBnG1_isZero'
  | 'mclBnG1_normalize'
  | 'mclBnG1_add'
  | 'mclBnG1_mul'
  | 'mclBnG1_mulVec'
  | 'mclBnG1_neg'
  | 'mclBnG2_clear'
  | 'mclBnG2_deserialize'
  | 'mclBnG2_serialize'
  | 'mclBnG2_hashAndMapToWithDst'
  | 'mclBnG2_isValid'
  | 'mclBnG2_isValidOrder'
  | 'mclBnG2_isZero'
  | 'mclBnGT_isOne'
  | 'mclBnGT_mul'
  | 'mclBnGT_setInt32';

export interface Mcl {
  /** Arguments are addresses and sizes; results and operands may share an address. */
  readonly call: (name: Name, ...args: number[]) => number;
  /** Room for good. */
  readonly allocate: (byteCount: number) => number;
  readonly bytes: (address: number, byteCount: number) => Uint8Array;
}

type Module = Record<`_${Name}` | '_malloc', Numeric> & { readonly HEAP8: Int8Array };

/** @throws Error when mcl does not know the curve. */
export const openMcl = async (curve: number): Promise<Mcl> => {
  const module = (await createModule({
    cryptoGetRandomValues: () => {
      throw new Error('nothing here needs random numbers of mcl');
    },
  })) as Module;
  const call = (name: Name, ...args: number[]): number => module[`_${name}`](...args);
  if (call('mclBn_init', curve, COMPILED_FOR) !== 0) throw new Error(`mcl has no curve ${curve}`);
  return {
    call,
    allocate: (byteCount) => module._malloc(byteCount),
    bytes: (address, byteCount) => {
      const { buffer } = module.HEAP8;
      return new Uint8Array(buffer, address, byteCount);
    },
  };
};
