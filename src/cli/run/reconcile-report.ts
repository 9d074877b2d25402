/** What `kagami reconcile` says: one line for each check, the differences below it, a verdict at the end. */
import type { LedgerProof, ProofResult, ProofSubject } from '../../importer/balances/ledger-proof.ts';
import {
  type ReconciledFile,
  type ReconciliationReport,
  reconciliationStatus,
} from '../../importer/balances/reconciliation.ts';
import type { Difference } from '../../importer/balances/reconciliation-sql.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { formatCount } from '../terminal/figures.ts';
import type { Style } from '../terminal/terminal.ts';

const titles: Readonly<Record<ProofSubject, string>> = {
  history: 'The history is whole',
  transactions: 'Transactions move hbars without making or losing any',
  supply: 'All balances are 50 billion hbars',
  balances: 'Each balance is the sum of its transfers',
  'token-supplies': 'Supplies of fungible tokens are what accounts hold',
  'nft-supplies': 'Supplies of NFTs are the NFTs there are',
  'nft-holdings': 'NFT balances are the NFTs that accounts own',
};

const marks = (style: Style): Readonly<Record<ProofResult['outcome'], string>> => ({
  proven: style.green('proven   '),
  different: style.red('DIFFERENT'),
  'not-provable': style.yellow('not known'),
});

export const formatResult = (result: ProofResult, style: Style): string => {
  const { subject, outcome, note } = result;
  const head = `  ${marks(style)[outcome]}  ${titles[subject]} ${style.dim(`(${note})`)}\n`;
  return head + formatDifferences(result, subject === 'transactions');
};

export const formatFile = (file: ReconciledFile, style: Style): string => {
  const good = file.status === reconciliationStatus.success;
  const mark = marks(style)[good ? 'proven' : 'different'];
  return `  ${mark}  Balance file of ${formatTimestamp(file.consensusTimestamp)}\n${formatDifferences(file, false)}`;
};

const formatDifferences = (
  { differences, differenceCount }: Pick<ProofResult, 'differences' | 'differenceCount'>,
  ofTransactions: boolean,
): string => {
  const lines = differences.map((difference) => {
    const { expected, actual } = difference;
    return `               ${nameOf(difference, ofTransactions)}: is ${actual}, should be ${expected}\n`;
  });
  const more = differenceCount - differences.length;
  if (more > 0) lines.push(`               and ${formatCount(more)} more (--limit lists more)\n`);
  return lines.join('');
};

const nameOf = ({ account, token }: Difference, ofTransactions: boolean): string => {
  if (ofTransactions) return `transaction at ${formatTimestamp(account ?? 0n)}`;
  const parts = [
    account === null ? [] : [`account ${formatEntityId(account)}`],
    token === null ? [] : [`token ${formatEntityId(token)}`],
  ].flat();
  return parts.length === 0 ? 'sum of all balances' : parts.join(', ');
};

export const formatVerdict = (proof: LedgerProof, report: ReconciliationReport | undefined, style: Style): string => {
  const different = proof.results.filter(({ outcome }) => outcome === 'different').length;
  const unknown = proof.results.filter(({ outcome }) => outcome === 'not-provable').length;
  const filesDiffer = report !== undefined && report.status !== reconciliationStatus.success;
  const files =
    report === undefined
      ? 'There are no balance files to compare.'
      : `Balance files compared with the one before them: ${formatCount(report.files)}.`;
  const verdict =
    different > 0 || filesDiffer
      ? style.red('The ledger does not add up.')
      : unknown > 0
        ? style.yellow(
            `Nothing is wrong as far as it can be known; ${unknown} of ${proof.results.length} checks cannot.`,
          )
        : style.green('The ledger adds up.');
  return `\n${verdict}\n${files}\n`;
};

/** 64-bit integers as texts. */
export const proofJson = (
  { base, results }: LedgerProof,
  report: ReconciliationReport | undefined,
  files: readonly ReconciledFile[],
): string =>
  JSON.stringify(
    {
      base,
      checks: results,
      balanceFiles: report === undefined ? null : { ...report, differing: files.filter(isDiffering) },
    },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );

const isDiffering = ({ status }: ReconciledFile): boolean => status !== reconciliationStatus.success;
