/** What happens along a chain of blocks, for metrics. Times in milliseconds. */
export type BlockMeasurement =
  | { readonly kind: 'error'; readonly origin: string }
  | {
      readonly kind: 'proven';
      readonly origin: string;
      readonly wrapped: boolean;
      /** From consensus to proof. */
      readonly latencyMs: number;
      /** From consensus until it was there whole. */
      readonly arrivalMs: number;
      readonly verificationMs: number;
      /** Between the ends of this block and the one before; undefined for the first one. */
      readonly closeMs: number | undefined;
    }
  | { readonly kind: 'refused'; readonly origin: string; readonly verificationMs: number };
