/**
 * PostgreSQL refuses to run as root, so a Kagami that runs as root hands the server to an ordinary account: `postgres`,
 * else `nobody`, else any other of the machine. Everyone else runs the server under their own account.
 */
import { readFileSync } from 'node:fs';

export interface SystemAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const preferred = ['postgres', 'nobody'];

/** Accounts of an `/etc/passwd` text that may run the server, best first. */
export const accountsIn = (passwd: string): SystemAccount[] => {
  const accounts = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid = '', gid = '']) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => Number.isSafeInteger(uid) && Number.isSafeInteger(gid) && uid > 0);
  const rank = ({ name }: SystemAccount): number => {
    const index = preferred.indexOf(name);
    return index === -1 ? preferred.length : index;
  };
  return accounts.sort((a, b) => rank(a) - rank(b));
};

/**
 * Accounts to try in turn when this process is root; undefined when it is not (the server then runs as this user).
 * @param ownerUid owner of an existing data folder: it comes first, so that a server keeps its account for life
 */
export const accountCandidates = (ownerUid: number | undefined): readonly SystemAccount[] | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  let accounts: SystemAccount[];
  try {
    accounts = accountsIn(readFileSync('/etc/passwd', 'utf8'));
  } catch {
    accounts = []; // distroless images may have none; 65534 is `nobody` everywhere
  }
  const nobody = { name: 'nobody', uid: 65534, gid: 65534 };
  if (!accounts.some(({ uid }) => uid === nobody.uid)) accounts.push(nobody);
  if (ownerUid !== undefined && ownerUid > 0) {
    const owner = accounts.find(({ uid }) => uid === ownerUid) ?? {
      name: `uid ${ownerUid}`,
      uid: ownerUid,
      gid: ownerUid,
    };
    accounts = [owner, ...accounts.filter(({ uid }) => uid !== ownerUid)];
  }
  return accounts.slice(0, 5);
};

/** The part of a spawn's options that changes to the account. */
export const spawnAs = (account: SystemAccount | undefined): { uid: number; gid: number } | Record<never, never> =>
  account === undefined ? {} : { uid: account.uid, gid: account.gid };

/** A clean environment: no PG* variable of the user changes how the server behaves, nor what is meant for our own heap. */
export const serverEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG|NODE_|npm_|MALLOC_)/.test(name)),
  ),
  LC_ALL: 'C',
  TZ: 'UTC',
});
