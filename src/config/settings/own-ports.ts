/** The ports that Kagami opens beside those of HTTP. What has to treat each of them is keyed by `OwnPortName`. */
import type { InterfaceRole } from './roles.ts';
import type { RootSettings } from './root.ts';

/** The simulated network's node has a port as well, although it is no role. */
export type OwnPortName = InterfaceRole | 'node';

/** A port of one interface. */
export interface OwnPort {
  /** As people call what is served there. */
  readonly title: string;
  /** What stands before the address where a client names it. */
  readonly scheme: '' | 'http://';
  /** Name of the setting that `port` reads; `own-ports.test.ts` holds the two together. */
  readonly setting: string;
  /** 0: any free port. */
  readonly port: (settings: RootSettings) => number;
  /** Address that the port is opened on. */
  readonly host: (settings: RootSettings) => string;
}

const serverHost = ({ kagami }: RootSettings): string => kagami.server.host;

export const ownPorts: Readonly<Record<OwnPortName, OwnPort>> = {
  grpc: {
    title: 'gRPC',
    scheme: '',
    setting: 'hiero.mirror.grpc.port',
    port: ({ hiero }) => hiero.mirror.grpc.port,
    host: serverHost,
  },
  rosetta: {
    title: 'Rosetta',
    scheme: 'http://',
    setting: 'hiero.mirror.rosetta.port',
    port: ({ hiero }) => hiero.mirror.rosetta.port,
    host: serverHost,
  },
  node: {
    title: 'transactions',
    scheme: '',
    setting: 'kagami.simulator.submit.port',
    port: ({ kagami }) => kagami.simulator.submit.port,
    host: () => '127.0.0.1',
  },
};

/** Names in the order in which they are shown. */
export const ownPortNames = Object.keys(ownPorts) as readonly OwnPortName[];

/** Roles among them. */
export const interfaceRoles = ownPortNames.filter((name) => name !== 'node');
