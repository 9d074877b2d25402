/** What `kagami doctor` finds, and how it is shown. */
import type { Style } from '../terminal/terminal.ts';

export interface Finding {
  /** What was looked at: `configuration`, `port 5551`. */
  readonly subject: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const ok = (subject: string, message: string): Finding => ({ subject, result: 'ok', message });

export const warn = (subject: string, message: string, advice: string): Finding => ({
  subject,
  result: 'warn',
  message,
  advice,
});

export const fail = (subject: string, message: string, advice: string): Finding => ({
  subject,
  result: 'fail',
  message,
  advice,
});

export const formatFinding = ({ subject, result, message, advice }: Finding, style: Style): string => {
  const mark = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('fail') }[result];
  return `${mark}  ${style.bold(subject)}: ${message}\n${advice ? `      ${advice}\n` : ''}`;
};

/** The last line: how many findings ask for something. */
export const formatVerdict = (findings: readonly Finding[], style: Style): string => {
  const count = (result: Finding['result']): number => findings.filter((finding) => finding.result === result).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed > 0)
    return style.red(`${failed} of ${findings.length} checks failed${warned ? `, ${warned} warn` : ''}.\n`);
  if (warned > 0) return style.yellow(`Nothing failed; ${warned} of ${findings.length} checks warn.\n`);
  return style.green(`All ${findings.length} checks are good.\n`);
};
