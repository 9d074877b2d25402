/** Nodes of the address book, batches and random numbers: each has its base alone. */
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { type Price, price } from './price.ts';

export const networkPrices: readonly Price[] = [
  price('nodeCreate', HederaFunctionality.NodeCreate),
  price('nodeUpdate', HederaFunctionality.NodeUpdate),
  price('nodeDelete', HederaFunctionality.NodeDelete),
  price('registeredNodeCreate', HederaFunctionality.RegisteredNodeCreate),
  price('registeredNodeUpdate', HederaFunctionality.RegisteredNodeUpdate),
  price('registeredNodeDelete', HederaFunctionality.RegisteredNodeDelete),
  price('utilPrng', HederaFunctionality.UtilPrng),
  // Transactions of a batch count by their bytes only.
  price('atomicBatch', HederaFunctionality.AtomicBatch),
];
