import { Counter, Gauge, type Registry } from 'prom-client';
import { responseCodeName } from '../ledger/response-code.ts';

export interface NodeMetrics {
  /** Counts an answer to a transaction by its code. */
  transaction(code: number): void;
}

export const createNodeMetrics = (registry: Registry, waiting: () => number): NodeMetrics => {
  const transactions = new Counter({
    name: 'kagami_node_transactions_total',
    help: 'Transactions that clients sent to the simulated network, by the code of the answer.',
    labelNames: ['code'],
    registers: [registry],
  });
  new Gauge({
    name: 'kagami_node_transactions_waiting',
    help: 'Transactions of clients that wait for their block.',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
  return { transaction: (code) => transactions.inc({ code: responseCodeName(code) }) };
};
