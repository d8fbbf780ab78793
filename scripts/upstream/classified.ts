import type { Difference } from './compare.ts';

/** How the differences stand to the pages that classify them. */
export interface Classification {
  /** No line has them, or the line is about another text on Karpenter's side. */
  readonly unclassified: readonly Difference[];
  /** Ids on the page that are no difference any more. */
  readonly outdated: readonly string[];
}

const LINE = /`([a-z]+ [^`]+: (?:absent|differs|only ours))` ([0-9a-f]{6})/g;

/**
 * Reads the lines of docs/reference/upstream.md. Absent metrics have their reasons in
 * docs/reference/metrics.md.
 */
export function classify(
  differences: readonly Difference[],
  upstreamPage: string,
  metricsPage: string,
): Classification {
  const lines = new Map([...upstreamPage.matchAll(LINE)].map(([, id = '', digest = '']) => [id, digest]));
  const absent = metricsPage.slice(metricsPage.indexOf('## Metrics of Karpenter that are absent'));
  const absentIds = new Set(
    [...absent.matchAll(/`(\w+(\{\w+\})?)`/g)].map(
      ([, name, label]) => `${label ? 'label' : 'metric'} ${name}: absent`,
    ),
  );
  const isClassified = ({ id, digest }: Difference): boolean => absentIds.has(id) || lines.get(id) === digest;
  const ids = new Set(differences.map(({ id }) => id));
  return {
    unclassified: differences.filter((difference) => !isClassified(difference)),
    outdated: [...lines.keys()].filter((id) => !ids.has(id)),
  };
}
