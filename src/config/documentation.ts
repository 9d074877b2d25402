/** The page of all settings, made from their declarations. */
import { formatDuration } from './duration.ts';
import { environmentName, joinPath } from './names.ts';
import { allowedValues, showValue } from './scalar.ts';
import { isSetting, type Setting, type SettingGroup } from './setting.ts';

const introduction = `# Configuration

This page is made from the settings' declarations by \`node scripts/write-configuration-docs.ts\`.

Kagami runs without any configuration. What you set wins in this order, the last one strongest:

1. the defaults below;
2. \`application.yml\` or \`application.yaml\` in \`/usr/etc/hiero/\`, the working directory, its \`config/\` folder, the folder
   \`CONFIG_PATH\`, and the files or folders that \`SPRING_CONFIG_ADDITIONAL_LOCATION\` lists (separated by commas; \`file:\` in
   front is fine; \`optional:\` allows a file to be missing). \`CONFIG_NAME\` replaces \`application\`. After these, the file that
   \`HIERO_MIRROR_ROSETTA_API_CONFIG\` names, and files named with \`--config\`;
3. environment variables;
4. \`--set name=value\` (any number of times) and the flags of commands.

\`\`\`sh
kagami start --set hiero.mirror.rest.port=5552
HIERO_MIRROR_REST_PORT=5552 kagami start
printf 'hiero:\\n  mirror:\\n    rest:\\n      port: 5552\\n' > application.yml && kagami start
\`\`\`

**Names.** Letters of any case, with or without hyphens: \`maxLimit\`, \`max-limit\` and \`MAXLIMIT\` are one name. In
environment variables \`_\` stands between levels and a number picks an item of a list: \`HIERO_MIRROR_REST_USERS_0_LIMIT\`.
Names that begin with \`hedera.mirror\` or \`HEDERA_MIRROR_\` still work, with a warning. A name that is not in the list
below is refused on the command line and under \`kagami\`; under \`hiero.mirror\`, where files of other mirror nodes have
names that mean nothing here, it has no effect and is reported at start.

**Values.** Durations: \`500ms\`, \`10s\`, \`5m\`, \`2h\`, \`7d\`, \`PT10S\`, or a bare number of milliseconds. Lists: a YAML
sequence, values separated by commas, or JSON; a list replaces the one below it, while single items (\`_0_\`, \`[0]\`) change
only themselves. Maps: YAML, JSON, or \`name=value,name=value\`; they add to the default. \`\${NAME:default}\` stands for an
environment variable or another setting. An empty value means the default, except for texts.

\`kagami doctor\` checks what you wrote and says where each fault is.
`;

type ForemostSetting = readonly [path: string, flag: string];

/** Those that most installations set, with the flag of `kagami start` that stands for each. */
export const foremostSettings: readonly ForemostSetting[] = [
  ['hiero.mirror.importer.network', '--network'],
  ['kagami.source.folder', '--source'],
  ['hiero.mirror.importer.initialAddressBook', '--address-book'],
  ['kagami.database.url', '--database'],
  ['kagami.dataPath', '--data'],
  ['hiero.mirror.rest.port', '--port'],
  ['kagami.server.host', '--host'],
  ['kagami.roles', '--roles'],
  ['kagami.simulator.tps', '--tps'],
  ['kagami.log.level', '--log-level'],
];

const settingAt = (root: SettingGroup, path: string): Setting<unknown> => {
  let node: Setting<unknown> | SettingGroup | undefined = root;
  for (const name of path.split('.')) node = node === undefined || isSetting(node) ? undefined : node[name];
  if (node === undefined || !isSetting(node)) throw new TypeError(`there is no setting ${path}`);
  return node;
};

const foremostSection = (root: SettingGroup, foremost: readonly ForemostSetting[]): string =>
  [
    '## The ten that matter',
    '',
    '| Setting | Flag | Environment | Default | What it does |',
    '| --- | --- | --- | --- | --- |',
    ...foremost.map(([path, flag]) => {
      const setting = settingAt(root, path);
      const value = code(showValue(setting, setting.default));
      return `| \`${path}\` | \`${flag}\` | \`${environmentName(path.split('.'))}\` | ${value} | ${cell(setting.description)} |`;
    }),
    '',
  ].join('\n');

/** Markdown of the whole page. */
export const documentSettings = (root: SettingGroup, foremost: readonly ForemostSetting[] = []): string => {
  const sections: string[] = [introduction];
  if (foremost.length > 0) sections.push(foremostSection(root, foremost));
  const visit = (group: SettingGroup, path: readonly string[]): void => {
    const own = Object.entries(group).filter((entry): entry is [string, Setting<unknown>] => isSetting(entry[1]));
    if (own.length > 0) sections.push(section(path, own));
    for (const [name, node] of Object.entries(group)) if (!isSetting(node)) visit(node, [...path, name]);
  };
  visit(root, []);
  return sections.join('\n');
};

const section = (path: readonly string[], settings: readonly (readonly [string, Setting<unknown>])[]): string => {
  const rows = settings.flatMap(([name, setting]) => rowsOf([...path, name], name, setting));
  return [
    `## ${joinPath(path)}`,
    '',
    `Environment: \`${environmentName(path)}_...\``,
    '',
    '| Setting | Default | Allowed | What it does |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
};

const rowsOf = (path: readonly string[], label: string, setting: Setting<unknown>): string[] => {
  const row = `| \`${label}\` | ${code(showValue(setting, setting.default))} | ${cell(kindText(setting))} | ${cell(setting.description)} |`;
  const element = setting.element;
  if (!element || isSetting(element)) return [row];
  return [row, ...rowsOfGroup([...path, '0'], `${label}[]`, element)];
};

const rowsOfGroup = (path: readonly string[], label: string, group: SettingGroup): string[] =>
  Object.entries(group).flatMap(([name, node]) =>
    isSetting(node)
      ? rowsOf([...path, name], `${label}.${name}`, node)
      : rowsOfGroup([...path, name], `${label}.${name}`, node),
  );

const kindText = (setting: Setting<unknown>): string => {
  if (setting.kind === 'duration')
    return `a duration${setting.min ? ` of at least ${formatDuration(Number(setting.min))}` : ''}`;
  if (setting.kind === 'secret') return 'a text, never shown';
  if (setting.kind !== 'list' || !setting.element) return allowedValues(setting);
  return isSetting(setting.element) ? `a list; each ${allowedValues(setting.element)}` : 'a list of groups';
};

const code = (text: string): string => (text === '' ? 'empty' : `\`${cell(text)}\``);
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
