/** Errors of contract verification: compilers, explorers, sessions. */
import { define } from './definition.ts';

export const verificationErrors = define({
  COMPILER_FAILED: {
    retryable: false,
    hint: 'The compiler refused the input; the details carry its messages.',
  },
  COMPILER_OUT_OF_MEMORY: {
    retryable: false,
    hint: 'The compilation needs more memory than kagami.verification.compilers.memoryMb allows.',
  },
  COMPILER_TIMEOUT: {
    retryable: true,
    hint: 'The compilation took longer than kagami.verification.compilers.timeout; raise it, or ask when the machine is less busy.',
  },
  COMPILER_UNAVAILABLE: {
    retryable: false,
    hint: 'No source has this compiler. Solidity comes with Kagami, from npm or from kagami.verification.compilers.mirror; name Vyper binaries in kagami.verification.compilers.vyper.',
  },
  COMPILER_UNREACHABLE: {
    retryable: true,
    hint: 'Check that npm can install packages here, or name a mirror of compiler lists (kagami.verification.compilers.mirror).',
  },
  EXPLORER_FAILED: {
    retryable: true,
    hint: 'The explorer answered with an error; check kagami.verification.chains and the key.',
  },
  EXPLORER_MALFORMED: {
    retryable: false,
    hint: 'The explorer does not answer as an Etherscan-compatible one does; check its URL in the settings.',
  },
  EXPLORER_NOT_CONFIGURED: {
    retryable: false,
    hint: 'Name an Etherscan-compatible explorer of the chain in kagami.verification.',
  },
  EXPLORER_NOT_VERIFIED: {
    retryable: false,
    hint: 'The explorer has no sources of this contract; send them instead.',
  },
  EXPLORER_RATE_LIMITED: {
    retryable: true,
    hint: 'Ask later, or give an API key of the explorer.',
  },
  EXPLORER_UNREACHABLE: {
    retryable: true,
    hint: 'Check the URL of the explorer; one with a private address needs kagami.verification.allowPrivateExplorers.',
  },
  VERIFICATION_BUSY: {
    retryable: true,
    hint: 'More verifications wait than kagami.verification.limits.waiting allows; ask again later.',
  },
  VERIFICATION_CLIENT_BUSY: {
    retryable: true,
    hint: 'One client asked for more at once than it is given places; it should wait for earlier answers.',
  },
  VERIFICATION_FAILED: {
    retryable: true,
    hint: 'The thread of a verification ended or met a fault of Kagami; it is replaced. Repeated: report the contract.',
  },
  VERIFICATION_INPUT_INVALID: {
    retryable: false,
    hint: 'Correct the files that were sent; the message says what is wrong.',
  },
  VERIFICATION_NO_SUCH_CONTRACT: {
    retryable: false,
    hint: 'Give the name of a contract that the sources define.',
  },
  VERIFICATION_NOTHING_NEW: {
    retryable: false,
    hint: 'The session already has these files; verify its contracts, or clear it first.',
  },
  VERIFICATION_RUNNING: {
    retryable: true,
    hint: 'Wait for the verification of the same contract that runs.',
  },
  VERIFICATION_SESSION_EMPTY: {
    retryable: false,
    hint: 'Send the metadata and the sources of a contract first.',
  },
  VERIFICATION_SESSION_FULL: {
    retryable: false,
    hint: 'Clear the session and send fewer files.',
  },
  VERIFICATION_SESSIONS_FULL: {
    retryable: true,
    hint: 'Sessions end by themselves some hours after their last use; give them more room with kagami.verification.sessions.maxTotalMb.',
  },
  VERIFICATION_STOPPED: {
    retryable: true,
    hint: 'The server is being stopped; ask again when it runs.',
  },
  VERIFICATION_TIMEOUT: {
    retryable: true,
    hint: 'The verification took longer than kagami.verification.limits.time; raise it, or ask when the machine is less busy.',
  },
});
