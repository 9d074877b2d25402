/** Operators' rules on chosen requests (`hiero.mirror.web3.throttle.request[]`). */
import type { Web3Settings } from '../../config/settings/web3.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CallRequest } from './call-body.ts';
import { TokenBucket } from './token-bucket.ts';

export type RequestRule = Web3Settings['throttle']['request'][number];
type Condition = RequestRule['filters'][number];

export interface FilterClock {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
}

export type FilterVerdict =
  | { readonly action: 'log' | 'reject' | 'throttle' }
  /** `location`: scheme, host and port. */
  | { readonly action: 'redirect'; readonly location: string };

const fieldTexts: Readonly<Record<Condition['field'], (request: CallRequest) => string>> = {
  BLOCK: ({ texts }) => texts.block,
  DATA: ({ texts }) => texts.data,
  ESTIMATE: ({ estimate }) => String(estimate),
  FROM: ({ texts }) => texts.from,
  GAS: ({ gas }) => String(gas),
  TO: ({ texts }) => texts.to,
  VALUE: ({ value }) => String(value),
};

const holds = ({ field, type, expression }: Condition, request: CallRequest): boolean => {
  const text = fieldTexts[field](request).toLowerCase();
  const wanted = expression.toLowerCase();
  return type === 'EQUALS' ? text === wanted : text.includes(wanted);
};

const checkedLocation = (location: string, index: number): string => {
  if (/^https?:\/\/[^/?#\s]+\/?$/i.test(location)) return location.replace(/\/$/, '');
  throw new KagamiError('CONFIG_INVALID', 'A request filter that redirects needs scheme, host and port to send to', {
    details: { setting: `hiero.mirror.web3.throttle.request[${index}].location`, value: location },
  });
};

/** One rule with its count and its own bucket. */
export class RequestFilter {
  readonly #rule: RequestRule;
  readonly #location: string;
  readonly #clock: FilterClock;
  readonly #bucket: TokenBucket;
  #applied = 0n;

  /** @throws KagamiError CONFIG_INVALID for a redirection to nowhere; `index` is the rule's place in the settings */
  constructor(rule: RequestRule, index: number, clock: FilterClock) {
    this.#rule = rule;
    this.#location = rule.action === 'REDIRECT' ? checkedLocation(rule.location, index) : '';
    this.#clock = clock;
    this.#bucket = new TokenBucket(rule.rate, clock.now);
  }

  /** What the rule says of a request; undefined: nothing. */
  test(request: CallRequest): FilterVerdict | undefined {
    const { action, filters, limit, rate } = this.#rule;
    if (rate === 0 || this.#applied >= limit) return undefined;
    if (filters.length > 0 && !filters.some((condition) => holds(condition, request))) return undefined;
    const isDue = action === 'THROTTLE' ? !this.#bucket.take(1) : this.#clock.random() * 100 < rate;
    if (!isDue) return undefined;
    this.#applied++;
    switch (action) {
      case 'LOG':
        return { action: 'log' };
      case 'REJECT':
        return { action: 'reject' };
      case 'THROTTLE':
        return { action: 'throttle' };
      case 'REDIRECT':
        return { action: 'redirect', location: this.#location };
    }
  }
}
