/** The terminal as commands see it: two streams, whether a person is looking, colours when wanted. */

export interface Terminal {
  /** For results and progress. */
  readonly out: (text: string) => void;
  /** For warnings and errors. */
  readonly err: (text: string) => void;
  /** Whether lines can be redrawn. */
  readonly interactive: boolean;
  readonly columns: number;
  readonly style: Style;
}

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Colours appear on a terminal unless `NO_COLOR` is set to anything (no-color.org) or the terminal is `dumb`;
 * `FORCE_COLOR` (not `0`) asks for them elsewhere.
 */
export const wantsColour = (isTty: boolean, env: Readonly<Record<string, string | undefined>>): boolean => {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0';
  return isTty && env.TERM !== 'dumb';
};

export const createStyle = (coloured: boolean): Style => {
  const wrap = (open: number, close: number) => (text: string) =>
    coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    red: wrap(31, 39),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    cyan: wrap(36, 39),
  };
};

export const createTerminal = (
  out: OutputStream,
  err: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Terminal => ({
  out: (text) => {
    out.write(text);
  },
  err: (text) => {
    err.write(text);
  },
  interactive: out.isTTY === true && env.TERM !== 'dumb' && !env.CI,
  columns: out.columns ?? 100,
  style: createStyle(wantsColour(out.isTTY === true, env)),
});
