/** Whether the simulated network takes transactions, as the health probes tell it. */
export interface NodeCondition {
  /**
   * opening: clients are expected soon. listening: they are served. closed: the port was open and is so no longer.
   * unavailable: the port is not to be had and nobody chose it, or the network has no accounts for clients; the mirror
   * does without.
   */
  readonly state: 'opening' | 'listening' | 'closed' | 'unavailable';
  readonly port: number;
}

/** Undefined: no transactions are taken here. */
export type ReadNodeCondition = () => NodeCondition | undefined;

/** Whether clients would look in vain for a port that is meant to be open. */
export const isMissed = (condition: NodeCondition | undefined): boolean =>
  condition?.state === 'opening' || condition?.state === 'closed';
