import { duration, flag, integer, list, type SettingsOf, secret, text } from '../setting.ts';

/** `kagami.verification.*`: contract verification. */
export const verificationSettings = {
  allowPrivateExplorers: flag(false, 'Ask explorers whose address belongs to a local network too, such as localhost.'),
  chains: list(
    {
      chainId: text('', 'Chain id in decimal digits.'),
      name: text('', 'Name of the chain; empty: its id.'),
      rpc: list(text('', 'URL.'), [], 'JSON-RPC endpoints that give code and transactions, asked in this order.'),
      explorer: text('', 'URL of an Etherscan-compatible API from which contracts can be imported; empty: none.'),
      explorerKey: secret('', 'API key of the explorer for requests that bring none.'),
    },
    [],
    'Chains beside the mirrored network whose contracts can be verified.',
  ),
  compilers: {
    download: flag(
      true,
      'Let npm fetch compilers that are not installed with Kagami, each once, when they are first needed; as npm is ' +
        'configured for the user who runs Kagami.',
    ),
    folder: text('', 'Folder for compilers that were fetched; empty: `compilers` under `kagami.dataPath`.'),
    memoryMb: integer(2048, 'Most memory of one compilation, in MiB.', { min: 256 }),
    mirror: text(
      '',
      'Base URL of a mirror of the Solidity compiler lists (`list.json` and the files it names), asked before npm; ' +
        'empty: none.',
    ),
    timeout: duration(120_000, 'Longest time of one compilation; a verification may need several.'),
    vyper: list(
      {
        version: text('', 'Version without commit, such as `0.4.0`.'),
        path: text('', 'Path of the binary.'),
      },
      [],
      'Vyper compilers. They run as the user who runs Kagami.',
    ),
  },
  explorer: text(
    '',
    'URL of an Etherscan-compatible API from which contracts of the mirrored network can be imported; empty: none.',
  ),
  explorerKey: secret('', 'API key of that explorer for requests that bring none.'),
  explorerTimeout: duration(30_000, 'How long to wait for the answer of an explorer.'),
  http: {
    clients: {
      requests: integer(4, 'Requests with a body that one client may have at work.', { min: 1 }),
      verifications: integer(2, 'Verifications that one client may have at work.', { min: 1 }),
    },
    importHosts: list(
      text('', 'Host name.'),
      [],
      'Hosts that files may be fetched from for `/session/input-files?url=`; empty: none.',
    ),
    origins: list(
      text('', 'Origin; `*` stands for anything but a slash.'),
      ['http://localhost:*', 'http://127.0.0.1:*'],
      'Origins whose pages may have sessions; all other interfaces are open to every page.',
    ),
    publicUrl: text('', 'Where clients find the server, for links to files; empty: as the request says.'),
    sessions: {
      lifetime: duration(12 * 3_600_000, 'Time that a session lives after its last use.'),
      maxTotalMb: integer(2048, 'Most that all sessions together hold, in MiB.', { min: 1 }),
      secret: secret('', 'Key that signs the cookies of sessions; empty: one is made and kept in the database.'),
      secureCookie: flag(false, 'Send cookies over HTTPS only.'),
    },
    timeout: duration(1_200_000, 'Longest time of one verification, its wait included.'),
  },
  limits: {
    archiveBytes: integer(128 * 1024 * 1024, 'Most bytes that the files of one archive have together.', { min: 1 }),
    archiveEntries: integer(10_000, 'Most entries of one archive.', { min: 1, max: 65_535 }),
    concurrent: integer(2, 'Verifications at once; each takes a thread and one process that compiles.', {
      min: 1,
      max: 256,
    }),
    time: duration(600_000, 'Longest time of one verification, without waiting.'),
    waiting: integer(100, 'Verifications that may wait; one more is refused.', { min: 0 }),
    waitingOfClient: integer(20, 'Verifications of one client that may wait.', { min: 0 }),
  },
  repository: {
    folder: text(
      '',
      'Folder in which the files of verified contracts are kept beside the database, in the layout of Sourcify; empty: none.',
    ),
  },
};

export type VerificationSettings = SettingsOf<typeof verificationSettings>;
