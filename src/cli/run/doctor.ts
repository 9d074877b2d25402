/** `kagami doctor`: every check, one after the other, whatever the earlier ones found. */
import { type InspectedSettings, inspectSettings, type SettingOverride } from '../../config/load.ts';
import { type OwnPort, type OwnPortName, ownPortNames, ownPorts } from '../../config/settings/own-ports.ts';
import { type RootSettings, rootSettings } from '../../config/settings/root.ts';
import { settlePreferredTls } from '../../database/connect-options.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type CommandContext, settingsInput } from '../command-context.ts';
import { checkClock } from '../doctor/clock-check.ts';
import { checkConfiguration } from '../doctor/configuration-check.ts';
import { checkDataPath } from '../doctor/data-path-check.ts';
import { checkDatabase, type DatabaseFindings } from '../doctor/database-check.ts';
import { checkEmbedded } from '../doctor/embedded-check.ts';
import { type Finding, fail, formatFinding, formatVerdict } from '../doctor/finding.ts';
import { checkPorts, type PortToCheck } from '../doctor/ports-check.ts';
import { checkSource } from '../doctor/source-check.ts';
import { exitCodes } from '../exit-code.ts';
import { dataFolders } from './data-folders.ts';
import { externalTarget } from './database-target.ts';
import { chooseSource } from './source-choice.ts';

export const runDoctor = async (
  context: CommandContext,
  overrides: readonly SettingOverride[],
  { json = false }: { readonly json?: boolean },
): Promise<void> => {
  const { terminal } = context;
  const findings: Finding[] = [];
  for await (const finding of examine(context, overrides)) {
    findings.push(finding);
    if (!json) terminal.out(formatFinding(finding, terminal.style));
  }
  terminal.out(json ? `${JSON.stringify(findings, undefined, 2)}\n` : `\n${formatVerdict(findings, terminal.style)}`);
  if (findings.some(({ result }) => result === 'fail')) context.setExitCode(exitCodes.failure);
};

async function* examine(context: CommandContext, overrides: readonly SettingOverride[]): AsyncGenerator<Finding> {
  let inspected: InspectedSettings<RootSettings>;
  try {
    inspected = inspectSettings(rootSettings, settingsInput(context, overrides));
  } catch (error) {
    if (!isKagamiError(error)) throw error;
    yield fail('configuration', error.message, error.hint);
    return;
  }
  yield* checkConfiguration(inspected);
  const { kagami, hiero } = inspected.settings;
  const folders = dataFolders(kagami.dataPath, context.cwd);
  yield* await survive('data folder', async () => [checkDataPath(folders.root)]);

  let now: number | undefined;
  yield* await survive('database', async () => {
    const examined = await examineDatabase(inspected, folders.postgres);
    now = examined.now;
    return examined.findings;
  });
  const { host, additionalPorts } = kagami.server;
  const own = openedPorts(inspected, context.cwd);
  const ports = { host, primary: hiero.mirror.rest.port, additional: additionalPorts, own };
  yield* await survive('ports', () => checkPorts(ports));
  yield* await survive('source', () => checkSource(inspected, context.cwd));
  yield checkClock(Date.now(), now);
}

/** Ports of interfaces and of the simulated node that `kagami start` would open. */
const openedPorts = (
  inspected: InspectedSettings<RootSettings>,
  cwd: string,
): ReadonlyMap<OwnPortName, PortToCheck> => {
  const { settings } = inspected;
  const isOpened = (name: OwnPortName): boolean =>
    name === 'node' ? takesTransactions(inspected, cwd) : settings.kagami.roles.includes(name);
  const addressOf = ({ host, port }: OwnPort): PortToCheck => ({ host: host(settings), port: port(settings) });
  return new Map(ownPortNames.filter(isOpened).map((name) => [name, addressOf(ownPorts[name])]));
};

/** Whether `kagami start` would open the port for transactions; what is wrong with the source is another check's finding. */
const takesTransactions = (inspected: InspectedSettings<RootSettings>, cwd: string): boolean => {
  const { roles, simulator } = inspected.settings.kagami;
  if (!roles.includes('importer') || !simulator.submit.enabled) return false;
  try {
    return chooseSource(inspected, cwd) === 'simulator';
  } catch {
    return false;
  }
};

/** What keeps one check from being made is a finding, and keeps no other from being made. */
const survive = async (subject: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> => {
  try {
    return await check();
  } catch (error) {
    if (isKagamiError(error)) return [fail(subject, error.message, error.hint)];
    return [fail(subject, (error as Error).message, 'This was not foreseen: please report it, with the settings.')];
  }
};

const examineDatabase = async (
  inspected: InspectedSettings<RootSettings>,
  embeddedFolder: string,
): Promise<DatabaseFindings> => {
  const external = externalTarget(inspected);
  if (external) return checkDatabase(await settlePreferredTls(external.writer), external.schema);
  const { finding, running } = checkEmbedded(embeddedFolder);
  if (!running) return { findings: [finding] };
  const { port, username, password } = running;
  const url = `postgres://${encodeURIComponent(username)}:${encodeURIComponent(password)}@127.0.0.1:${port}/mirror_node`;
  const { findings, ...rest } = await checkDatabase(url, 'public');
  return { findings: [finding, ...findings], ...rest };
};
