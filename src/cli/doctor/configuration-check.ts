import { describeProblem, type InspectedSettings } from '../../config/load.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const subject = 'configuration';

/** Faulty and unknown settings, each with the place where it is written. */
export const checkConfiguration = ({
  problems,
  warnings,
  files,
  origins,
}: Omit<InspectedSettings<unknown>, 'settings'>): Finding[] => {
  const findings = [
    ...problems.map((problem) =>
      fail(subject, describeProblem(problem), 'Correct it there; docs/configuration.md lists every setting.'),
    ),
    ...warnings.map((warning) => warn(subject, warning, 'Correct or remove it.')),
  ];
  if (findings.length > 0) return findings;
  const places = files.length === 0 ? 'no files' : files.join(', ');
  return [ok(subject, `${places}; ${origins.size} settings differ from their defaults`)];
};
