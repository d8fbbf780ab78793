import type { Row, Value } from './attributes.ts';

/** Names and values that an expression refers to. */
export interface ExpressionContext {
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Row;
}

type Token = string;

/**
 * Evaluates the conditions that Mortise uses: comparisons, BETWEEN, begins_with,
 * attribute_exists and attribute_not_exists, joined by AND and OR. Anything else is an error.
 *
 * @param row - `undefined` if there is none
 */
export function isConditionMet(
  expression: string | undefined,
  row: Row | undefined,
  context: ExpressionContext,
): boolean {
  if (expression === undefined) return true;
  const tokens = expression.match(/[#:\w.]+|<>|<=|>=|[=<>(),]/g) ?? [];
  const parser = new ConditionParser(tokens, row ?? {}, context);
  return parser.parse();
}

class ConditionParser {
  readonly #tokens: readonly Token[];
  readonly #row: Row;
  readonly #context: ExpressionContext;
  #at = 0;

  constructor(tokens: readonly Token[], row: Row, context: ExpressionContext) {
    this.#tokens = tokens;
    this.#row = row;
    this.#context = context;
  }

  parse(): boolean {
    const isMet = this.#or();
    if (this.#at < this.#tokens.length) throw new Error(`unexpected ${this.#tokens[this.#at]}`);
    return isMet;
  }

  #or(): boolean {
    let isMet = this.#and();
    while (this.#take('OR')) isMet = this.#and() || isMet;
    return isMet;
  }

  #and(): boolean {
    let isMet = this.#term();
    while (this.#take('AND')) isMet = this.#term() && isMet;
    return isMet;
  }

  #term(): boolean {
    if (this.#take('(')) {
      const isMet = this.#or();
      this.#expect(')');
      return isMet;
    }
    const first = this.#next();
    if (first === 'attribute_exists') return this.#argument() !== undefined;
    if (first === 'attribute_not_exists') return this.#argument() === undefined;
    if (first === 'begins_with') return this.#beginsWith();
    return this.#comparison(this.#operand(first));
  }

  #argument(): Value | undefined {
    this.#expect('(');
    const value = this.#operand(this.#next());
    this.#expect(')');
    return value;
  }

  #beginsWith(): boolean {
    this.#expect('(');
    const text = this.#operand(this.#next());
    this.#expect(',');
    const prefix = this.#operand(this.#next());
    this.#expect(')');
    if (!text || !prefix || !('S' in text) || !('S' in prefix)) return false;
    return text.S.startsWith(prefix.S);
  }

  #comparison(operand: Value | undefined): boolean {
    const operator = this.#next();
    const right = this.#operand(this.#next());
    if (operator === 'BETWEEN') {
      this.#expect('AND');
      const last = this.#operand(this.#next());
      return compare(operand, right, (order) => order >= 0) && compare(operand, last, (o) => o <= 0);
    }
    const test = COMPARISONS[operator];
    if (!test) throw new Error(`unknown operator ${operator}`);
    return compare(operand, right, test);
  }

  /** Resolves `:value`, `#name`, `name` and paths of them. */
  #operand(token: Token): Value | undefined {
    if (token.startsWith(':')) return this.#context.values?.[token];
    let value: Value | undefined = { M: this.#row };
    for (const part of token.split('.')) {
      const name = part.startsWith('#') ? (this.#context.names?.[part] ?? '') : part;
      value = value && 'M' in value ? value.M[name] : undefined;
    }
    return value;
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error('the expression ends too early');
    this.#at += 1;
    return token;
  }

  #take(token: Token): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: Token): void {
    if (!this.#take(token)) throw new Error(`expected ${token}, found ${this.#tokens[this.#at]}`);
  }
}

type OrderTest = (order: number) => boolean;

const COMPARISONS: Readonly<Record<string, OrderTest>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** A missing attribute, or one of another type, meets no comparison. */
function compare(first: Value | undefined, right: Value | undefined, test: OrderTest): boolean {
  if (!first || !right) return false;
  if ('N' in first && 'N' in right) return test(Number(first.N) - Number(right.N));
  if ('S' in first && 'S' in right) return test(compareText(first.S, right.S));
  return false;
}

export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
