/** LISTEN on one connection for any number of channels, restored with growing pauses when it breaks. */
import pg from 'pg';
import { databaseError } from './database-error.ts';

export interface ListenOptions {
  /** Called after a broken connection is back: notifications in between are lost, so read what they would have told. */
  readonly onReconnect?: () => void;
  /** Called when the connection breaks and at every failed attempt to restore it. */
  readonly onError?: (error: Error) => void;
}

interface Subscription extends ListenOptions {
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
}

export interface Listener {
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

export const createListener = (createClient: () => pg.Client): Listener => {
  const subscriptions = new Set<Subscription>();
  let connection: Promise<pg.Client> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const channels = (): Set<string> => new Set([...subscriptions].map((subscription) => subscription.channel));

  const connect = async (): Promise<pg.Client> => {
    const client = createClient();
    let lost = false;
    const onLost = (error: Error): void => {
      if (lost) return;
      lost = true;
      client.end().catch(() => undefined);
      if (closed || connection === undefined) return;
      connection = undefined;
      for (const { onError } of subscriptions) onError?.(databaseError(error));
      restore(firstPauseMs);
    };
    client.on('error', onLost);
    client.on('notification', ({ channel, payload }) => {
      for (const subscription of subscriptions) {
        if (subscription.channel === channel) subscription.onNotification(payload ?? '');
      }
    });
    try {
      await client.connect();
      for (const channel of channels()) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (fault) {
      lost = true;
      client.end().catch(() => undefined);
      throw databaseError(fault);
    }
    client.on('end', () => onLost(new Error('Connection terminated')));
    return client;
  };

  const restore = (pauseMs: number): void => {
    timer = setTimeout(() => {
      if (closed || subscriptions.size === 0) return;
      // A listen() during the pause may already have connected; then only the news is left to give.
      connection ??= connect();
      connection.then(
        () => {
          for (const { onReconnect } of subscriptions) onReconnect?.();
        },
        (error: Error) => {
          connection = undefined;
          for (const { onError } of subscriptions) onError?.(error);
          if (!closed) restore(Math.min(pauseMs * 2, longestPauseMs));
        },
      );
    }, pauseMs);
    timer.unref();
  };

  return {
    listen: async (channel, onNotification, options = {}) => {
      const subscription: Subscription = { ...options, channel, onNotification };
      const fresh = !channels().has(channel);
      subscriptions.add(subscription);
      try {
        if (connection === undefined) {
          connection = connect();
          await connection;
        } else {
          const client = await connection;
          if (fresh) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
        }
      } catch (fault) {
        subscriptions.delete(subscription);
        if (subscriptions.size === 0) connection = undefined;
        throw databaseError(fault);
      }
      return async () => {
        if (!subscriptions.delete(subscription) || closed || channels().has(channel)) return;
        // A failure here means that the connection is gone, and the subscription with it.
        const client = await connection?.catch(() => undefined);
        await client?.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
      };
    },

    close: async () => {
      closed = true;
      clearTimeout(timer);
      subscriptions.clear();
      const client = await connection?.catch(() => undefined);
      await client?.end();
    },
  };
};
