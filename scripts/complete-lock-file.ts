/**
 * Adds to package-lock.json and runtime/package-lock.json the optional packages of other platforms that npm left out because the registry at hand does
 * not have them: `npm ci` refuses a lock file without them, and needs no more than their names, versions and platforms to
 * know that it may skip them. Run it after every change of dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly license?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  packages: Record<string, LockedPackage>;
}

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const architectures: Readonly<Record<string, string>> = {
  arm64: 'arm64',
  armv7: 'arm',
  arm: 'arm',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  x64: 'x64',
};

/** `@biomejs/cli-linux-arm64-musl` -> linux, arm64. */
const platformOf = (name: string): { os: string[]; cpu: string[] } => {
  const parts = name.split(/[/-]/);
  const os = parts.filter((part) => systems.includes(part));
  const cpu = parts.flatMap((part) => architectures[part] ?? []);
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`cannot tell the platform of ${name}`);
  return { os, cpu };
};

const complete = (path: string): void => {
  const file = new URL(`../${path}`, import.meta.url);
  const lock = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
  let added = 0;
  for (const [parentPlace, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`;
      if (lock.packages[place] !== undefined) continue;
      // What the project itself asks for may have another licence and other needs than the project.
      const { license, engines } = parentPlace === '' ? {} : parent;
      lock.packages[place] = {
        version,
        ...platformOf(name),
        ...(parent.dev ? { dev: true } : {}),
        ...(license ? { license } : {}),
        optional: true,
        ...(engines ? { engines } : {}),
      } as LockedPackage;
      added++;
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`Added ${added} packages of other platforms to ${path}`);
};

complete('package-lock.json');
complete('runtime/package-lock.json');
