/** Where a block node is reached. Plain data that can be sent between threads. */
export interface BlockNodeEndpoint {
  readonly host: string;
  readonly port: number;
  readonly requiresTls: boolean;
}

export interface BlockNodeAddress {
  /** 0 is asked first. */
  readonly priority: number;
  readonly status: BlockNodeEndpoint;
  readonly subscribe: BlockNodeEndpoint;
}

/** `host:port`, with brackets around an IPv6 address. */
export const targetOf = ({ host, port }: BlockNodeEndpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** Nodes whose blocks come from the same place are the same. */
export const nameOf = ({ subscribe }: BlockNodeAddress): string => targetOf(subscribe);
