import { parser } from '@prometheus-io/lezer-promql';

/** The names that an expression reads. */
export interface ExpressionNames {
  readonly metrics: readonly string[];
  /** Labels of matchers and of clauses such as `by`. */
  readonly labels: readonly string[];
}

const strictParser = parser.configure({ strict: true });

/**
 * Grafana's variables stand for text of the same kind. They only occur within strings here.
 *
 * @throws SyntaxError - the expression is not PromQL
 */
export function readExpression(expr: string): ExpressionNames {
  const metrics: string[] = [];
  const labels: string[] = [];
  strictParser.parse(expr).iterate({
    enter({ name, from, to, node }) {
      const text = expr.slice(from, to);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.push(text);
      if (name === 'LabelName') labels.push(text);
    },
  });
  return { metrics: [...new Set(metrics)], labels: [...new Set(labels)] };
}
