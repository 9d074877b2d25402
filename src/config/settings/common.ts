import { bigInteger, duration, flag } from '../setting.ts';

/** `hiero.mirror.common.*`: what every module must agree on. */
export const commonSettings = {
  shard: bigInteger(0n, 'Shard of the network; ids written without a shard belong to it.', { min: 0n, max: 1023n }),
  realm: bigInteger(0n, 'Realm of the network; ids written without a realm belong to it.', { min: 0n, max: 65_535n }),
  databaseStartup: {
    enabled: flag(true, 'Waits at start for an external database that does not answer yet.'),
    interval: duration(2_000, 'Pause between two attempts.'),
    timeout: duration(300_000, 'How long to wait before giving up.'),
  },
};
