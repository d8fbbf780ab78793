import { callAws, isNamed } from '../cluster/aws-problems.ts';
import { CHECK_GROUPS } from '../documents/check-groups.ts';
import type { Check } from '../documents/doctor.ts';
import { fail as failWith, type KnownProblem } from '../errors.ts';
import { ACCOUNT_CHECKS } from './account-checks.ts';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { CLUSTER_CHECKS } from './cluster-checks.ts';
import { check, toFact } from './finding.ts';
import { LEFT_OVER_CHECKS } from './left-over-checks.ts';
import { NETWORK_CHECKS } from './network-checks.ts';
import { STACK_CHECKS } from './stack-checks.ts';

/** Every check of cluster and account: `deploy` makes those before a deployment, `doctor` those after it. */
export const CHECKS: readonly AccountCheck[] = [
  ...CLUSTER_CHECKS,
  ...ACCOUNT_CHECKS,
  ...STACK_CHECKS,
  ...LEFT_OVER_CHECKS,
  ...NETWORK_CHECKS,
];

/** AWS answers in less than a second; a proxy that swallows requests must not hold up a deployment. */
const TIME_LIMIT_MS = 5_000;

/** Makes the checks of a stage at once. What cannot be read is named, and stops nothing. */
export async function runChecks(sources: CheckSources, timeLimitMs = TIME_LIMIT_MS): Promise<readonly Check[]> {
  const made = CHECKS.filter(({ stages }) => stages.includes(sources.stage)).map(
    async ({ group, name, rights, find }) => {
      const where = `${group}/${name}`;
      const findings = callAws(where, () => findOrName(rights, () => find(sources)));
      const fact = await toFact(() => inTime(findings, timeLimitMs, { where }));
      return check(group, name, fact, (findings) => findings);
    },
  );
  return inOrder((await Promise.all(made)).flat());
}

/** The sentence about a missing right names all rights of the check. */
async function findOrName<T>(rights: readonly string[], find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Error && isNamed(error, ...DENIED)) {
      error.message = `not checked: needs ${rights.join(', ')}`;
    }
    throw error;
  }
}

const DENIED = ['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation'];

/** @throws CliError - `aws-unreachable` */
export async function inTime<T>(
  work: Promise<T>,
  limitMs: number,
  context: Pick<KnownProblem, 'where' | 'why' | 'fix'>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const what = `AWS does not answer within ${limitMs / 1_000} s`;
      reject(failWith({ code: 'aws-unreachable', what, ...context }));
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sorts by groups, and keeps the order within each. */
export const inOrder = (checks: readonly Check[]): readonly Check[] =>
  checks.toSorted((a, b) => CHECK_GROUPS.indexOf(a.group) - CHECK_GROUPS.indexOf(b.group));
