/** Requests for every GET route of the OpenAPI document, made from a seed and the values of a ledger. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Random } from '../../src/simulator/random.ts';
import { knownPaths, type LedgerValues, type Scene } from './ledger-values.ts';
import { type Draw, kindOf, type Schema, type ValueKind } from './value-kinds.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly repeatable: boolean;
  readonly kind: ValueKind;
  /** Whether the document allows the value, operator included. */
  readonly allows: (value: string) => boolean;
}

interface ComparedRoute {
  readonly path: string;
  readonly inPath: readonly Parameter[];
  readonly inQuery: readonly Parameter[];
}

export interface GeneratedRequest {
  readonly route: string;
  readonly url: string;
}

/** Parameters left out, with the reason. */
const leftOut: ReadonlyMap<string, string> = new Map([['wait', 'the answer comes when the time is over']]);

/** Parameters that are refused without another one. */
const companions: Readonly<Record<string, readonly (readonly [name: string, needed: string])[]>> = {
  '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/nfts': [['token.id', 'account.id']],
  '/api/v1/accounts/{idOrAliasOrEvmAddress}/allowances/tokens': [['token.id', 'spender.id']],
  '/api/v1/accounts/{idOrAliasOrEvmAddress}/airdrops/outstanding': [
    ['token.id', 'receiver.id'],
    ['serialnumber', 'receiver.id'],
    ['serialnumber', 'token.id'],
  ],
  '/api/v1/accounts/{idOrAliasOrEvmAddress}/airdrops/pending': [
    ['token.id', 'sender.id'],
    ['serialnumber', 'sender.id'],
    ['serialnumber', 'token.id'],
  ],
  '/api/v1/accounts/{idOrAliasOrEvmAddress}/nfts': [['serialnumber', 'token.id']],
  '/api/v1/contracts/results': [['transaction.index', 'block.number']],
  '/api/v1/contracts/{contractIdOrAddress}/results': [['transaction.index', 'block.number']],
};

/** Log topics are searched for in a bounded span of time alone. */
const needsSpan = /^(?:topic\d|transaction\.hash)$/;

/** Traces run the EVM, which takes a hundred times as long as a row. */
const rareRoutes: ReadonlyMap<string, number> = new Map([
  ['/api/v1/contracts/results/{transactionIdOrHash}/opcodes', 0.5],
]);

const operators = ['', 'eq:', 'gt:', 'gte:', 'lt:', 'lte:', 'ne:'] as const;
const wrongOperators = ['like:', 'GT:', 'eq', ':', 'gte', 'gt:gt:'];

interface OpenApiDocument {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly parameters: readonly { name: string; in: string; schema: Schema }[];
        };
      }
    >
  >;
}

/**
 * GET routes below `/api/v1`. Those of contract verification are left out: nothing is verified on the ledger, and their
 * errors have random ids.
 */
export const comparedRoutes = (openApiFile: string): readonly ComparedRoute[] => {
  const document = parse(readFileSync(openApiFile, 'utf8')) as OpenApiDocument;
  const routes: ComparedRoute[] = [];
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (get === undefined || !path.startsWith('/api/v1/')) continue;
    if (!knownPaths.has(path))
      throw new Error(`What values has ${path}? Enter it in conformance/comparison/ledger-values.ts`);
    const parameters = get.parameters
      .filter(({ name }) => !leftOut.has(name))
      .map(({ name, in: place, schema }) => ({
        name,
        in: place,
        repeatable: schema.type === 'array',
        kind: kindOf(name, schema),
        allows: allowedBy(schema),
      }));
    const placed = (place: string): readonly Parameter[] => parameters.filter((parameter) => parameter.in === place);
    routes.push({ path, inPath: placed('path'), inQuery: placed('query') });
  }
  return routes;
};

const allowedBy = ({ pattern, maximum, items }: Schema): ((value: string) => boolean) => {
  const expression = new RegExp(items?.pattern ?? pattern ?? '');
  return (value) => expression.test(value) && (maximum === undefined || Number(value) <= maximum);
};

const drawFrom = (seed: string): Draw => {
  const digest = createHash('sha256').update(seed).digest();
  const random = new Random(Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(i * 4)));
  const below = (bound: number): number => random.below(bound);
  return {
    below,
    chance: (share) => below(1_000_000) < share * 1_000_000,
    one: <T>(list: readonly T[]): T => list[below(list.length)] as T,
  };
};

/** How many requests in a hundred have a value at the bounds, and how many a wrong one. */
const SHARE_AT_BOUNDS = 0.1;
const SHARE_WRONG = 0.1;

const MOST_REDRAWS = 8;

type Mood = 'found' | 'bounds' | 'wrong';

const encode = (value: string): string =>
  encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('%2C', ',');

class RequestMaker {
  readonly #draw: Draw;
  readonly #values: LedgerValues;
  readonly #scenes: readonly Scene[];
  readonly #scene: Scene;

  constructor(draw: Draw, values: LedgerValues, path: string) {
    this.#draw = draw;
    this.#values = values;
    this.#scenes = values.scenes.get(path) ?? [];
    this.#scene = this.#scenes.length === 0 ? {} : draw.one(this.#scenes);
  }

  /** A value of the scene, or of another one, perhaps written in another way or a little beside it. */
  #found({ name, kind }: Parameter, scene: Scene): string {
    const draw = this.#draw;
    const value = scene[name] ?? (this.#scenes.length === 0 ? undefined : draw.one(this.#scenes)[name]);
    if (value === undefined) return draw.one(kind.bounds);
    if (draw.chance(0.25)) {
      const spellings = this.#values.spellings.get(value);
      if (spellings !== undefined) return draw.one(spellings);
    }
    return kind.near !== undefined && draw.chance(0.3) ? kind.near(value, draw) : value;
  }

  #value(parameter: Parameter, mood: Mood, scene = this.#scene): string {
    if (mood === 'wrong') return this.#draw.one(parameter.kind.wrong);
    const value = (): string =>
      mood === 'bounds' ? this.#draw.one(parameter.kind.bounds) : this.#found(parameter, scene);
    return this.#usuallyAllowed(parameter, value);
  }

  /** Of what the document does not allow a tenth stays. */
  #usuallyAllowed({ allows }: Parameter, make: () => string): string {
    let made = make();
    for (let tries = 0; tries < MOST_REDRAWS && !allows(made) && !this.#draw.chance(0.1); tries++) made = make();
    return made;
  }

  #operator(parameter: Parameter, value: string, mood: Mood): string {
    if (mood === 'wrong' && this.#draw.chance(0.3)) return this.#draw.one(wrongOperators);
    const operator = (): string => this.#draw.one(operators);
    return this.#usuallyAllowed(parameter, () => operator() + value).slice(0, -value.length || undefined);
  }

  path({ path, inPath }: ComparedRoute, mood: Mood): string {
    const spoiled = mood === 'found' || inPath.length === 0 ? undefined : this.#draw.one(inPath);
    const filled = inPath.reduce(
      (text, parameter) =>
        text.replace(
          `{${parameter.name}}`,
          // An empty segment is another route.
          encode(this.#value(parameter, parameter === spoiled ? mood : 'found')) || 'x',
        ),
      path,
    );
    if (this.#draw.chance(0.02)) return `${filled}/`;
    return this.#draw.chance(0.02) ? filled.replace('/api/v1/', '/API/V1/') : filled;
  }

  /** One or more `name=value`. */
  #pairs(parameter: Parameter, mood: Mood): readonly string[] {
    const draw = this.#draw;
    const { name, kind, repeatable } = parameter;
    const pair = (operator: string, value: string): string => `${name}=${operator}${encode(value)}`;
    if (!kind.compared) {
      const times = (repeatable && draw.chance(0.3)) || draw.chance(0.02) ? 2 : 1;
      return Array.from({ length: times }, (_, i) =>
        pair(
          mood === 'wrong' && draw.chance(0.1) ? 'eq:' : '',
          this.#value(parameter, mood, i === 0 || this.#scenes.length === 0 ? this.#scene : draw.one(this.#scenes)),
        ),
      );
    }
    const value = this.#value(parameter, mood);
    const first = pair(this.#operator(parameter, value, mood), value);
    if (!repeatable && !draw.chance(0.02)) return [first];
    const other = (): string =>
      this.#value(parameter, 'found', this.#scenes.length === 0 ? this.#scene : draw.one(this.#scenes));
    const isRanged = parameter.allows(`gt:${value}`) || draw.chance(0.1);
    if (isRanged && draw.chance(0.25)) {
      const [low, high] = [draw.one(['gt:', 'gte:']), draw.one(['lt:', 'lte:'])];
      const bounds = [this.#value(parameter, mood), other()];
      const [a = '', b = ''] = draw.chance(0.85)
        ? bounds.toSorted((x, y) => x.length - y.length || (x < y ? -1 : 1))
        : bounds;
      return [pair(low, a), pair(high, b)];
    }
    if (draw.chance(0.15)) {
      return [
        first,
        ...Array.from({ length: 1 + draw.below(3) }, () => {
          const more = other();
          return pair(this.#operator(parameter, more, 'found'), more);
        }),
      ];
    }
    return draw.chance(0.1)
      ? [pair('', this.#value(parameter, mood)), pair('', other()), pair('eq:', other())]
      : [first];
  }

  /** Adds what the chosen ones are refused without, mostly. */
  #withCompanions({ path, inQuery }: ComparedRoute, chosen: Parameter[]): boolean {
    if (this.#draw.chance(0.1)) return false;
    const isChosen = (wanted: string): boolean => chosen.some(({ name }) => name === wanted);
    for (const [name, needed] of companions[path] ?? []) {
      const companion = inQuery.find((parameter) => parameter.name === needed);
      if (companion !== undefined && isChosen(name) && !isChosen(needed)) chosen.push(companion);
    }
    return chosen.some(({ name }) => needsSpan.test(name)) && inQuery.some(({ name }) => name === 'timestamp');
  }

  /** The whole ledger, or an hour around the scene. */
  #span(): readonly string[] {
    const { draw, timestamp = '1767225600.0' } = { draw: this.#draw, ...this.#scene };
    const seconds = Number(timestamp.split('.')[0]);
    const [from, to] = draw.chance(0.5) ? [seconds - 302_400, seconds + 302_399] : [seconds - 1_800, seconds + 1_800];
    return [`timestamp=${draw.one(['gt', 'gte'])}:${from}`, `timestamp=${draw.one(['lt', 'lte'])}:${to}`];
  }

  query(route: ComparedRoute, mood: Mood): string {
    const { inQuery } = route;
    const draw = this.#draw;
    const share: Readonly<Record<string, number>> = { limit: 0.6, order: 0.5 };
    const filters = 3 / Math.max(6, inQuery.length);
    const chosen = inQuery.filter(({ name }) => draw.chance(share[name] ?? filters));
    if (chosen.length === 0 && mood !== 'found' && inQuery.length > 0) chosen.push(draw.one(inQuery));
    const spoiled = mood === 'found' || chosen.length === 0 ? undefined : draw.one(chosen);
    const spans = this.#withCompanions(route, chosen);
    if (spans) chosen.splice(0, chosen.length, ...chosen.filter(({ name }) => name !== 'timestamp'));
    const pairs = chosen.flatMap((parameter) => {
      const isPageOrChoice = parameter.name === 'limit' || parameter.name === 'order';
      const usual: Mood = isPageOrChoice ? 'bounds' : 'found';
      return this.#pairs(parameter, parameter === spoiled ? mood : usual);
    });
    if (spans) pairs.push(...this.#span());
    if (draw.chance(0.01)) pairs.push('unknown=1');
    if (draw.chance(0.02)) pairs[0] = pairs[0]?.replace(/^[^=]+/, (name) => name.toUpperCase()) ?? '';
    if (draw.chance(0.2)) pairs.reverse();
    const text = pairs.filter((pair) => pair !== '').join('&');
    return text === '' ? '' : `?${text}`;
  }
}

/** Gives the `number`-th request of a seed: always the same one for the same values. */
export const requestGenerator = (routes: readonly ComparedRoute[], values: LedgerValues, seed: string) => {
  let total = 0;
  const thresholds = routes.map(({ path, inQuery }) => {
    total += rareRoutes.get(path) ?? 2 + inQuery.length;
    return total;
  });
  const pick = (draw: Draw): ComparedRoute => {
    const at = (draw.below(1_000_000) / 1_000_000) * total;
    return routes[thresholds.findIndex((threshold) => at < threshold)] as ComparedRoute;
  };
  return (number: number): GeneratedRequest => {
    const draw = drawFrom(`${seed} ${number}`);
    const route = pick(draw);
    const kind = draw.below(1_000) / 1_000;
    const mood: Mood = kind < SHARE_WRONG ? 'wrong' : kind < SHARE_WRONG + SHARE_AT_BOUNDS ? 'bounds' : 'found';
    const maker = new RequestMaker(draw, values, route.path);
    const spoilsPath = draw.chance(route.inQuery.length === 0 ? 1 : 0.3);
    const path = maker.path(route, spoilsPath ? mood : 'found');
    return { route: route.path, url: path + maker.query(route, spoilsPath ? 'found' : mood) };
  };
};

/** What of parameter and operator no request of the list has. */
export const missingFrom = (
  routes: readonly ComparedRoute[],
  requests: readonly GeneratedRequest[],
): readonly string[] => {
  const seen = new Set<string>();
  for (const { route, url } of requests) {
    for (const pair of (url.split('?')[1] ?? '').split('&')) {
      const [name = '', value = ''] = pair.split('=');
      seen.add(`${route} ${name}=${/^(?:eq|gte?|lte?|ne):/.exec(value)?.[0] ?? ''}`);
    }
    seen.add(route);
  }
  return routes.flatMap(({ path, inQuery }) =>
    [
      path,
      ...inQuery.flatMap(({ name, kind }) =>
        (kind.compared ? operators : ['']).map((operator) => `${path} ${name}=${operator}`),
      ),
    ].filter((wanted) => !seen.has(wanted)),
  );
};
