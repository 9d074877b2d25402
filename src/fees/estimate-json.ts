import type { ChargedExtra, Estimate, FeePart } from './estimate.ts';

const extraJson = ({ charged, count, feePerUnit, included, name, subtotal }: ChargedExtra): string =>
  `{"charged":${charged},"count":${count},"fee_per_unit":${feePerUnit},"included":${included},"name":"${name}",` +
  `"subtotal":${subtotal}}`;

const partJson = ({ base, extras }: FeePart): string =>
  `{"base":${base},"extras":[${extras.map(extraJson).join(',')}]}`;

/** `notes` are what the client should know about how the estimate came about; the member is there when there are any. */
export const estimateJson = (
  { highVolumeMultiplier, network, node, service, total }: Estimate,
  notes: readonly string[],
): string =>
  `{"high_volume_multiplier":${highVolumeMultiplier / 1000n},` +
  `"network":{"multiplier":${network.multiplier},"subtotal":${network.subtotal}},` +
  `"node":${partJson(node)},${notes.length > 0 ? `"notes":${JSON.stringify(notes)},` : ''}` +
  `"service":${partJson(service)},"total":${total}}`;
