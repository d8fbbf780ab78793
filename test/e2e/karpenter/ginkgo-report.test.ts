import { describe, expect, it } from 'vitest';
import { parseReport } from './ginkgo-report.ts';

const spec = (more: object): object => ({
  ContainerHierarchyTexts: ['Drift', 'Budgets'],
  LeafNodeType: 'It',
  LeafNodeText: 'should respect budgets',
  State: 'passed',
  RunTime: 12_400_000_000,
  ...more,
});
const report = (...specs: readonly object[]): string =>
  JSON.stringify([{ SuiteDescription: 'Regression', SpecReports: specs }]);

describe('a report of Ginkgo', () => {
  it('names a spec by its containers and its text, as the focus flag matches it', () => {
    expect(parseReport(report(spec({})))).toEqual({
      description: 'Regression',
      specs: [{ name: 'Drift Budgets should respect budgets', state: 'passed', seconds: 12 }],
    });
  });

  it('leaves out set-up and clean-up nodes', () => {
    const beforeSuite = spec({ LeafNodeType: 'BeforeSuite', LeafNodeText: '' });

    expect(parseReport(report(beforeSuite)).specs).toEqual([]);
  });

  it.each(['failed', 'panicked', 'timedout', 'interrupted', 'aborted'])('counts the state %s as failed', (State) => {
    expect(parseReport(report(spec({ State }))).specs[0]?.state).toBe('failed');
  });

  it('does not count a check after all specs of a container, which run one by one', () => {
    const Failure = { Message: 'not all labels were used', FailureNodeType: 'AfterAll' };

    expect(parseReport(report(spec({ State: 'failed', Failure }))).specs).toEqual([
      { name: 'Drift Budgets should respect budgets', state: 'passed', seconds: 12 },
    ]);
  });

  it('gives the failed assertion on one line, with its file', () => {
    const Failure = {
      Message: 'Timed out\n  after 60.0s.',
      Location: { FileName: '/go/test/drift_test.go', LineNumber: 42 },
    };

    expect(parseReport(report(spec({ State: 'failed', Failure }))).specs[0]?.message).toBe(
      'Timed out after 60.0s. (drift_test.go:42)',
    );
  });
});
