import { describe, expect, it } from 'vitest';
import { besideWork, type SideJob } from './beside-work.ts';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));

describe('work with jobs beside it', () => {
  it('ends its jobs when it ends, and waits for them', async () => {
    const ended: string[] = [];
    const job: SideJob = async (signal) => {
      await aborted(signal);
      ended.push('job');
    };
    await besideWork(new AbortController().signal, [job, job], async () => void ended.push('work'));
    expect(ended).toEqual(['work', 'job', 'job']);
  });

  it('ends early with the fault of a job', async () => {
    const job: SideJob = async () => {
      throw new Error('wrong settings');
    };
    await expect(besideWork(new AbortController().signal, [job, aborted], aborted)).rejects.toThrow('wrong settings');
  });

  it('ends when it is told to', async () => {
    const stopping = new AbortController();
    const running = besideWork(stopping.signal, [aborted], aborted);
    stopping.abort();
    await expect(running).resolves.toBeUndefined();
  });

  it('throws its own fault after its jobs have ended', async () => {
    let ended = false;
    const job: SideJob = async (signal) => {
      await aborted(signal);
      ended = true;
    };
    const work: SideJob = async () => {
      throw new Error('broken');
    };
    await expect(besideWork(new AbortController().signal, [job], work)).rejects.toThrow('broken');
    expect(ended).toBe(true);
  });
});
