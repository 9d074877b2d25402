/**
 * Commits of blocks are heard of twice where the importer is part of this process: from it, and from the database. Each is
 * passed on once, as soon as either tells.
 * @param onCommitted called after a commit
 * @returns to be called with the number of the newest block; without one, when announcements may have been missed
 */
export const announcedOnce = (onCommitted: () => void): ((blockNumber?: string) => void) => {
  let last: string | undefined;
  return (blockNumber) => {
    if (blockNumber !== undefined && blockNumber === last) return;
    last = blockNumber;
    onCommitted();
  };
};
