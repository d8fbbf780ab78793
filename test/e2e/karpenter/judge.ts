import type { SpecReport } from './ginkgo-report.ts';
import type { KnownSpec } from './known-specs.ts';
import type { RuntimeName } from './runtimes.ts';

export type SpecResult =
  | 'passed'
  | 'failed'
  /** Failed as `DIFFERENT_BY_DESIGN` says. */
  | 'by design'
  /** Listed in `DIFFERENT_BY_DESIGN`, and passed. */
  | 'unexpected pass'
  /** The spec skipped itself, or is listed in `NOT_RUNNABLE`. */
  | 'not run';

export interface JudgedSpec {
  readonly name: string;
  readonly result: SpecResult;
  readonly seconds: number;
  /** The failed assertion, or why the spec differs or did not run. */
  readonly reason?: string;
}

/** Compares the report of a spec with the list of specs that differ by design. */
export function judgeSpec(report: SpecReport, different: KnownSpec | undefined): JudgedSpec {
  const { name, seconds, state, message } = report;
  const judged = (result: SpecResult, reason: string | undefined): JudgedSpec => ({
    name,
    result,
    seconds,
    ...(reason !== undefined && { reason }),
  });
  switch (state) {
    case 'skipped':
      return judged('not run', message);
    case 'failed':
      return different ? judged('by design', different.reason) : judged('failed', message);
    case 'passed':
      return different && !different.mayPass
        ? judged('unexpected pass', `listed as different: ${different.reason}`)
        : judged('passed', undefined);
  }
}

export const findKnownSpec = (
  list: readonly KnownSpec[],
  spec: { readonly suite: string; readonly name: string; readonly runtime: RuntimeName },
): KnownSpec | undefined =>
  list.find(
    (listed) =>
      listed.suite === spec.suite &&
      listed.spec.test(spec.name) &&
      (listed.runtime === undefined || listed.runtime === spec.runtime),
  );

/** Results with which the command fails. */
export const isBad = ({ result }: JudgedSpec): boolean => result === 'failed' || result === 'unexpected pass';

function countResults(specs: readonly JudgedSpec[]): Readonly<Record<SpecResult, number>> {
  const count = (result: SpecResult): number => specs.filter((spec) => spec.result === result).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    'by design': count('by design'),
    'unexpected pass': count('unexpected pass'),
    'not run': count('not run'),
  };
}

/** Renders the results of a suite as a Markdown table. */
export function renderTable(suite: string, specs: readonly JudgedSpec[]): string {
  const counts = Object.entries(countResults(specs)).filter(([, count]) => count > 0);
  const rows = specs.map(({ name, result, seconds, reason }) =>
    [name, result, seconds, reason ?? ''].map((cell) => `${cell}`.replaceAll('|', '\\|')),
  );
  return [
    `### ${suite}: ${counts.map(([result, count]) => `${count} ${result}`).join(', ')}`,
    '',
    '| Spec | Result | s | Reason |',
    '| --- | --- | ---: | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}
