/**
 * What the server as a whole takes: requests per second, gas per second, and operators' rules, in this order. Gas is
 * charged by the limit that a request gives and given back by what it used.
 */
import { HttpProblem, reasonedProblem } from '../../api/problem.ts';
import type { Web3Settings } from '../../config/settings/web3.ts';
import type { CallRequest } from './call-body.ts';
import { RequestFilter } from './request-filter.ts';
import { TokenBucket } from './token-bucket.ts';

/** Gas is counted in steps of this much; less is free. */
const GAS_STEP = 10_000n;

const RETRY_SECONDS = '1';

export type ThrottleReason = 'requests' | 'gas' | 'rejected' | 'filter' | 'redirected' | 'client';

export interface ThrottleEvents {
  /** A rule wants the request in the log. */
  onLogged(request: CallRequest): void;
  onRefused(reason: ThrottleReason): void;
}

export interface ThrottleOptions {
  readonly settings: Web3Settings['throttle'];
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly events: ThrottleEvents;
}

/** The gas that an admitted request holds. */
export interface GasTicket {
  /** Gives all of it back: the request was never executed. */
  cancel(): void;
  /** Gives back what wasn't used. `gasUsed`: undefined when there was no result. */
  settle(gasUsed: bigint | undefined): void;
}

const tooMany = (detail: string): HttpProblem =>
  new HttpProblem(429, reasonedProblem(429, detail).messages, { headers: { 'retry-after': RETRY_SECONDS } });

const stepsOf = (gas: bigint): number => (gas <= GAS_STEP ? 0 : Number(gas / GAS_STEP));

export class CallThrottle {
  readonly #requests: TokenBucket;
  readonly #gas: TokenBucket;
  readonly #filters: readonly RequestFilter[];
  readonly #refundPercent: bigint;
  readonly #events: ThrottleEvents;

  /** @throws KagamiError CONFIG_INVALID for a rule that cannot be followed */
  constructor({ settings, now, random, events }: ThrottleOptions) {
    this.#requests = new TokenBucket(settings.requestsPerSecond, now);
    this.#gas = new TokenBucket(Number((settings.gasPerSecond * BigInt(settings.gasUnit)) / GAS_STEP), now);
    this.#filters = settings.request.map((rule, index) => new RequestFilter(rule, index, { now, random }));
    this.#refundPercent = BigInt(settings.gasLimitRefundPercent);
    this.#events = events;
  }

  /**
   * @param target path and query, for redirections
   * @throws HttpProblem 429, or 307 when a rule sends the request elsewhere
   */
  admit(request: CallRequest, target: string): GasTicket {
    if (!this.#requests.take(1)) throw this.#refused('requests', 'Requests per second rate limit exceeded');
    const { gas } = request;
    if (!this.#gas.take(stepsOf(gas))) throw this.#refused('gas', 'Gas per second rate limit exceeded.');
    const ticket = this.#ticketOf(gas);
    try {
      for (const filter of this.#filters) this.#apply(filter, request, target);
    } catch (problem) {
      ticket.cancel();
      throw problem;
    }
    return ticket;
  }

  #apply(filter: RequestFilter, request: CallRequest, target: string): void {
    const verdict = filter.test(request);
    if (verdict === undefined) return;
    switch (verdict.action) {
      case 'log':
        this.#events.onLogged(request);
        return;
      case 'reject':
        throw this.#refused('rejected', 'Invalid request');
      case 'throttle':
        throw this.#refused('filter', 'Requests per second rate limit exceeded');
      case 'redirect':
        this.#events.onRefused('redirected');
        throw new HttpProblem(307, [{ message: 'Temporary Redirect', detail: 'Another server answers this request' }], {
          headers: { location: `${verdict.location}${target}` },
        });
    }
  }

  #refused(reason: ThrottleReason, detail: string): HttpProblem {
    this.#events.onRefused(reason);
    return tooMany(detail);
  }

  #ticketOf(gas: bigint): GasTicket {
    let isOpen = true;
    const giveBack = (amount: bigint): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#gas.giveBack(stepsOf(amount));
    };
    return {
      cancel: () => giveBack(gas),
      settle: (gasUsed) => {
        const most = (gas * this.#refundPercent) / 100n;
        const unused = gasUsed === undefined || gasUsed === gas ? most : gas - gasUsed;
        giveBack(unused < most ? unused : most);
      },
    };
  }
}
