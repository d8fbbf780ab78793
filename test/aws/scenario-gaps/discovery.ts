import type { ScenarioGaps } from '../scenario-coverage.ts';

export const discovery: ScenarioGaps = {
  D9: 'Every look replaces the lists of the one before: shown by D1 and D8, no test edits a selector.',
  D24: 'Parameters are read at every look, every two minutes; nothing is cached that could go stale.',
  D42: 'There is no setting ISOLATED_VPC: a class with spec.instanceProfile makes no call to IAM (D32).',
  D43: 'There are no profiles of older name patterns to look for: names follow from cluster, class and role.',
};
