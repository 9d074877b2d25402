/**
 * Finds the Node that Kagami runs on: this one when it is new enough, else a copy from npm beside this file. Whatever the
 * machine's Node is has to understand this file; so it is plain JavaScript, and nothing here is newer than Node 20.
 */
import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED_MAJOR = 24;

/** Milliseconds for a download of about 60 MB. */
const PATIENCE_MS = 900_000;

/** What npm says of a failure begins with the cause and goes on with its manual. */
const SHOWN_LINES = 5;

const isWindows = process.platform === 'win32';

/** Settings of an npm that runs us which are not meant for the npm that we run. */
const foreignSettings =
  /^npm_config_(global|location|omit|include|only|production|dry_run|package_lock_only|workspaces?|prefix|local_prefix)$/i;

/** The folder of this file, with the package.json and package-lock.json that name the copies. */
export const runtimeFolder = fileURLToPath(new URL('.', import.meta.url));

/** Whether a version (`24.1.0`) will do. */
export const isNewEnough = (/** @type {string} */ version) => Number(version.split('.', 1)[0]) >= NEEDED_MAJOR;

/** The npm package with Node for a platform. Those for Apple's processors are named differently. */
const packageName = () => {
  const system = isWindows ? 'win' : process.platform;
  const prefix = system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return `${prefix}-${system}-${process.arch}`;
};

/**
 * Path of the copy that is installed in a folder; undefined: none is.
 * @param {string} folder
 * @returns {string | undefined}
 */
export const installedNode = (folder) => {
  const home = join(folder, 'node_modules', packageName());
  try {
    const { bin, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    return isNewEnough(version) ? join(home, bin.node) : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Runs `npm ci` in a folder. Registry, proxy and certificates are those of the user.
 * @type {(folder: string) => Promise<void>}
 */
const runNpm = (folder) =>
  new Promise((done, fail) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreignSettings.test(name)));
    const commandArguments = [
      'ci',
      '--include=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    // npm.cmd needs the shell; nothing in these arguments means anything to it.
    const options = { cwd: folder, env, timeout: PATIENCE_MS, shell: isWindows };
    execFile(isWindows ? 'npm.cmd' : 'npm', commandArguments, options, (fault, _out, err) =>
      fault === null
        ? done()
        : fail(new Error(err.trim().split('\n').slice(0, SHOWN_LINES).join('\n') || fault.message)),
    );
  });

/**
 * Installs the copy for this platform into a folder, which is made when it is not there; npm compares it with the hash in
 * the lock file. A download that breaks off leaves nothing behind.
 * @param {string} folder
 * @param {(folder: string) => Promise<void>} npm
 * @returns {Promise<string>} the program's path
 * @throws {Error} when the folder can't be written or npm fails
 */
export const installNode = async (folder, npm = runNpm) => {
  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(join(folder, '.installing-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(runtimeFolder, file), join(draft, file));
    await npm(draft);
    // Headers for compiling native code and manuals are a third of the package.
    for (const part of ['include', 'share']) {
      rmSync(join(draft, 'node_modules', packageName(), part), { recursive: true, force: true });
    }
    try {
      renameSync(join(draft, 'node_modules'), join(folder, 'node_modules'));
    } catch (fault) {
      // Another process may have been faster.
      if (installedNode(folder) === undefined) throw fault;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const node = installedNode(folder);
  if (node === undefined) throw new Error(`npm has no Node ${NEEDED_MAJOR} for ${process.platform}-${process.arch}`);
  return node;
};

/** With Kagami, or with its data when that folder is not ours to write. */
const folders = () => [runtimeFolder, resolve('.kagami', 'runtime')];

/**
 * A Node that is new enough, installed now if there is none yet.
 * @param {readonly string[]} candidates where copies are looked for and installed, best first
 * @param {string} version of the Node that runs this
 * @returns {Promise<string>} its path
 * @throws {Error} that tells the user what to do
 */
export const suitableNode = async (candidates = folders(), npm = runNpm, version = process.versions.node) => {
  if (isNewEnough(version)) return process.execPath;
  for (const folder of candidates) {
    const node = installedNode(folder);
    if (node !== undefined) return node;
  }
  process.stderr.write(
    `Kagami needs Node ${NEEDED_MAJOR}, this is Node ${version}: npm fetches a copy for Kagami alone, once.\n`,
  );
  /** @type {string[]} */
  const faults = [];
  for (const folder of candidates) {
    try {
      return await installNode(folder, npm);
    } catch (fault) {
      faults.push(`  ${folder}: ${fault instanceof Error ? fault.message : fault}`);
    }
  }
  throw new Error(
    `There is no Node ${NEEDED_MAJOR} for Kagami, and npm could not install one:\n${faults.join('\n')}\n` +
      `Install Node ${NEEDED_MAJOR} or later, or let npm reach its registry.`,
  );
};

/** @type {readonly NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', ...(isWindows ? [] : /** @type {const} */ (['SIGUSR2', 'SIGWINCH']))];

/**
 * Runs a script in another Node, with this process's terminal, and ends as it ends.
 * @type {(node: string, script: string, commandArguments: readonly string[]) => Promise<number>}
 */
const runIn = (node, script, commandArguments) =>
  new Promise((done, fail) => {
    const child = spawn(node, [...process.execArgv, script, ...commandArguments], { stdio: 'inherit' });
    for (const signal of passedOn) process.on(signal, () => child.kill(signal));
    child.on('error', fail);
    child.on('exit', (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });

/**
 * Runs a script on a Node that is new enough: in this process when it is one.
 * @param {string} script
 * @param {readonly string[]} commandArguments
 */
export const runScript = async (script, commandArguments) => {
  if (isNewEnough(process.versions.node)) {
    process.argv = [process.execPath, script, ...commandArguments];
    await import(pathToFileURL(script).href);
    return;
  }
  try {
    process.exitCode = await runIn(await suitableNode(), script, commandArguments);
  } catch (fault) {
    process.stderr.write(`${fault instanceof Error ? fault.message : fault}\n`);
    process.exitCode = 1;
  }
};
