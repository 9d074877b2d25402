/**
 * Requests that wait for the next block. Nothing polls: the commit of a block wakes them, a few at a time, so that many
 * of them don't take the database from everybody else.
 */

/** Why a wait ended: a block was committed, the time is over, or nobody is there any more (client gone, server stops). */
export type WaitOutcome = 'committed' | 'over' | 'ended';

export interface WaitingPlace {
  /** Ends at once when a block was committed since the place was taken, or since this was last asked. */
  nextCommit(): Promise<WaitOutcome>;
  /** Frees the place. */
  leave(): void;
}

interface Place {
  resolve: ((outcome: WaitOutcome) => void) | undefined;
  isAwake: boolean;
  hasMissedCommit: boolean;
  over: WaitOutcome | undefined;
}

/** How many look at the database at the same time after a commit. */
const mostAwake = 4;

/** A bounded number of places to wait in for the commit of the next block. */
export class CommitWaits {
  readonly #places = new Set<Place>();
  /** Those to be woken, first come first served. */
  readonly #due = new Set<Place>();
  readonly #maxPlaces: number;
  #awake = 0;
  #hasStopped = false;

  constructor(maxPlaces: number) {
    this.#maxPlaces = maxPlaces;
  }

  /** How many places are taken. */
  get taken(): number {
    return this.#places.size;
  }

  /**
   * Takes a place for at most `milliseconds`; undefined when all are taken.
   * @param client aborted when the client goes away
   */
  enter(milliseconds: number, client?: AbortSignal): WaitingPlace | undefined {
    if (this.#places.size >= this.#maxPlaces) return undefined;
    const place: Place = { resolve: undefined, isAwake: false, hasMissedCommit: false, over: undefined };
    this.#places.add(place);
    const finish = (outcome: WaitOutcome): void => {
      place.over ??= outcome;
      this.#wake(place, place.over);
    };
    const timer = setTimeout(finish, milliseconds, 'over');
    const onGone = (): void => finish('ended');
    if (client?.aborted || this.#hasStopped) finish('ended');
    client?.addEventListener('abort', onGone, { once: true });
    return {
      nextCommit: () => this.#next(place),
      leave: () => {
        clearTimeout(timer);
        client?.removeEventListener('abort', onGone);
        this.#places.delete(place);
        this.#due.delete(place);
        this.#rest(place);
      },
    };
  }

  /** To be called after every commit of a block. */
  committed(): void {
    for (const place of this.#places) {
      place.hasMissedCommit = true;
      if (place.resolve !== undefined) this.#due.add(place);
    }
    this.#wakeDue();
  }

  /** Ends all waits, and those to come. */
  stop(): void {
    this.#hasStopped = true;
    for (const place of this.#places) {
      place.over = 'ended';
      this.#wake(place, 'ended');
    }
  }

  #next(place: Place): Promise<WaitOutcome> {
    return new Promise((resolve) => {
      place.resolve = resolve;
      this.#rest(place);
      if (place.over !== undefined) this.#wake(place, place.over);
      else if (place.hasMissedCommit) {
        this.#due.add(place);
        this.#wakeDue();
      }
    });
  }

  #rest(place: Place): void {
    if (!place.isAwake) return;
    place.isAwake = false;
    this.#awake--;
    this.#wakeDue();
  }

  #wakeDue(): void {
    for (const place of this.#due) {
      if (this.#awake >= mostAwake) return;
      this.#due.delete(place);
      place.isAwake = true;
      this.#awake++;
      place.hasMissedCommit = false;
      this.#wake(place, 'committed');
    }
  }

  #wake(place: Place, outcome: WaitOutcome): void {
    const { resolve } = place;
    place.resolve = undefined;
    this.#due.delete(place);
    resolve?.(outcome);
  }
}
