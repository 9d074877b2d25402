import { describe, expect, it } from 'vitest';
import { isSuccessful, responseCodeName, responseCodeNumber } from './response-code.ts';
import {
  TransactionType,
  transactionTypeName,
  transactionTypeNames,
  transactionTypeNumber,
} from './transaction-type.ts';

describe('transaction type', () => {
  it('has the name that REST shows', () => {
    expect(transactionTypeName(14)).toBe('CRYPTOTRANSFER');
    expect(transactionTypeName(50)).toBe('ETHEREUMTRANSACTION');
    expect(transactionTypeName(9999)).toBe('UNKNOWN');
    expect(transactionTypeNumber('TOKENCREATION')).toBe(29);
    expect(TransactionType.ATOMICBATCH).toBe(74);
  });

  it('maps names and numbers one to one', () => {
    for (const name of transactionTypeNames) {
      expect(transactionTypeName(transactionTypeNumber(name) ?? -1)).toBe(name);
    }
    expect(new Set(transactionTypeNames).size).toBe(transactionTypeNames.length);
  });
});

describe('response code', () => {
  it('maps names and numbers', () => {
    expect(responseCodeName(22)).toBe('SUCCESS');
    expect(responseCodeName(0)).toBe('OK');
    expect(responseCodeName(99_999)).toBe('UNKNOWN');
    expect(responseCodeNumber('INSUFFICIENT_PAYER_BALANCE')).toBe(10);
    expect(responseCodeNumber('NOPE')).toBeUndefined();
  });

  it('counts three results as successful', () => {
    const codes = Array.from({ length: 600 }, (_, code) => code).filter(isSuccessful);
    expect(codes.map(responseCodeName)).toEqual([
      'SUCCESS',
      'FEE_SCHEDULE_FILE_PART_UPLOADED',
      'SUCCESS_BUT_MISSING_EXPECTED_OPERATION',
    ]);
  });
});
