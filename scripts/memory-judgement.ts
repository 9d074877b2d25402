/** Whether a process that ran for a while holds too much memory, or ever more of it. */

export interface MemorySample {
  /** Since the process was started. */
  readonly seconds: number;
  readonly mebibytes: number;
}

export interface MemoryLimits {
  /** Samples before this are not judged by their growth: caches fill, functions are compiled. */
  readonly warmUpSeconds: number;
  /** Most at any time. */
  readonly mostMebibytes: number;
  /** Most that may come in between the end of the warm-up and the last sample, by the trend. */
  readonly growthMebibytes: number;
}

export interface MemoryJudgement {
  readonly peak: number;
  /** Median of what was judged by its growth. */
  readonly median: number;
  /** MiB an hour. */
  readonly trend: number;
  /** MiB between the end of the warm-up and the last sample, by the trend. */
  readonly growth: number;
  /** In words; empty when all is well. */
  readonly faults: readonly string[];
}

const SECONDS_PER_HOUR = 3_600;

/** So few samples have no trend. */
const FEWEST_SAMPLES = 10;

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The median of the slopes between all pairs (Theil and Sen): the saw teeth of a collector hardly move it. */
const slopeOf = (samples: readonly MemorySample[]): number => {
  const slopes: number[] = [];
  for (const [index, later] of samples.entries()) {
    for (const earlier of samples.slice(0, index)) {
      const seconds = later.seconds - earlier.seconds;
      if (seconds > 0) slopes.push((later.mebibytes - earlier.mebibytes) / seconds);
    }
  }
  return medianOf(slopes);
};

/** @throws Error when there are too few samples after the warm-up for a judgement */
export const judgeMemory = (samples: readonly MemorySample[], limits: MemoryLimits): MemoryJudgement => {
  const judged = samples.filter(({ seconds }) => seconds >= limits.warmUpSeconds);
  const [first, last] = [judged[0], judged.at(-1)];
  if (first === undefined || last === undefined || judged.length < FEWEST_SAMPLES) {
    throw new Error(`${judged.length} samples after the warm-up are too few for a judgement`);
  }
  const slope = slopeOf(judged);
  const peak = Math.max(...samples.map(({ mebibytes }) => mebibytes));
  const growth = slope * (last.seconds - first.seconds);
  const faults: string[] = [];
  if (peak > limits.mostMebibytes) faults.push(`${peak.toFixed(0)} MiB are more than ${limits.mostMebibytes}`);
  if (growth > limits.growthMebibytes) {
    faults.push(`it grew by ${growth.toFixed(0)} MiB after the warm-up, more than ${limits.growthMebibytes}`);
  }
  return {
    peak,
    median: medianOf(judged.map(({ mebibytes }) => mebibytes)),
    trend: slope * SECONDS_PER_HOUR,
    growth,
    faults,
  };
};
