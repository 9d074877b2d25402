/** The tree of all settings. A module appears here when something reads it. */
import type { SettingsOf } from '../setting.ts';
import { commonSettings } from './common.ts';
import { importerDbSettings } from './db.ts';
import { grpcServerSettings, grpcSettings } from './grpc.ts';
import { importerSettings, sourceSettings } from './importer.ts';
import { restSettings } from './rest.ts';
import { restJavaSettings } from './restjava.ts';
import { rosettaServerSettings, rosettaSettings } from './rosetta.ts';
import { serverSettings } from './server.ts';
import { simulatorSettings } from './simulator.ts';
import { verificationSettings } from './verification.ts';
import { web3Settings } from './web3.ts';

export const rootSettings = {
  hiero: {
    mirror: {
      common: commonSettings,
      grpc: grpcSettings,
      importer: { ...importerSettings, db: importerDbSettings },
      rest: restSettings,
      restJava: restJavaSettings,
      rosetta: rosettaSettings,
      web3: web3Settings,
    },
  },
  kagami: {
    ...serverSettings,
    grpc: grpcServerSettings,
    rosetta: rosettaServerSettings,
    source: sourceSettings,
    simulator: simulatorSettings,
    verification: verificationSettings,
  },
};

export type RootSettings = SettingsOf<typeof rootSettings>;

/** Modules of mirror node installations that Kagami does not have; files written for them load with one notice each. */
export const foreignModules: ReadonlySet<string> = new Set(['graphql', 'monitor', 'test']);
