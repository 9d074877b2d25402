/** The network hides files, and restores them. */
import { NANOS_PER_SECOND } from '../../../ledger/timestamp.ts';
import { fees } from '../../network/fee-schedule.ts';
import { fileId } from '../../records/proto-ids.ts';
import type { SimulatedFile } from '../../state/ledger-entities.ts';
import { removeAt, removeFrom } from '../../state/ledger-state.ts';
import { type Activity, treasury } from '../choose.ts';

const EXPIRY_SECONDS = 7_776_000n;

export const systemDelete: Activity = (builder) => {
  const { random, state, consensusTime } = builder;
  if (state.files.length === 0) return false;
  const index = random.below(state.files.length);
  const file = state.files[index] as SimulatedFile;
  builder.submit({
    payer: treasury(builder),
    fee: fees.network,
    data: {
      $case: 'systemDelete',
      systemDelete: {
        id: { $case: 'fileID', fileID: fileId(file.num) },
        expirationTime: { seconds: consensusTime / NANOS_PER_SECOND + EXPIRY_SECONDS },
      },
    },
  });
  file.systemDeleted = true;
  removeAt(state.files, index);
  state.deletedFiles.push(file);
  return true;
};

export const systemUndelete: Activity = (builder) => {
  const { state } = builder;
  const file = state.deletedFiles.find(({ systemDeleted }) => systemDeleted);
  if (file === undefined) return false;
  builder.submit({
    payer: treasury(builder),
    fee: fees.network,
    data: { $case: 'systemUndelete', systemUndelete: { id: { $case: 'fileID', fileID: fileId(file.num) } } },
  });
  file.systemDeleted = false;
  removeFrom(state.deletedFiles, file);
  state.files.push(file);
  return true;
};
