import type { Cluster } from '@aws-sdk/client-eks';
import { callAws, isNamed } from '../cluster/aws-problems.ts';
import { enableAccessEntries, isTooOld, MIN_MINOR_VERSION } from '../cluster/cluster-requirements.ts';
import { CHECK_GROUPS } from '../documents/check-groups.ts';
import type { Check } from '../documents/doctor.ts';
import { fail as failWith, type KnownProblem } from '../errors.ts';
import { ACCOUNT_CHECKS } from './account-checks.ts';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { check, type Finding, fail, ok, toFact, warn } from './finding.ts';
import { LEFT_OVER_CHECKS } from './left-over-checks.ts';
import { NETWORK_CHECKS } from './network-checks.ts';

/** A cluster that does not exist is an error of the command, so no check mentions it. */
const ofCluster =
  (judge: (cluster: Cluster, sources: CheckSources) => Finding): AccountCheck['find'] =>
  async (sources) => {
    const cluster = await sources.readCluster();
    return cluster ? [judge(cluster, sources)] : [];
  };

const CLUSTER_CHECKS: readonly AccountCheck[] = [
  {
    ...{ group: 'cluster', name: 'status', stages: ['before'], rights: ['eks:DescribeCluster'] },
    find: ofCluster(({ status = 'ACTIVE' }) =>
      status === 'ACTIVE' || status === 'UPDATING'
        ? ok(`the cluster is ${status}`)
        : fail(`the cluster is ${status}: its API server cannot be set up`, 'wait until it is ACTIVE'),
    ),
  },
  {
    ...{ group: 'cluster', name: 'version', stages: ['before', 'after'] },
    rights: ['eks:DescribeCluster'],
    find: ofCluster(({ version = '' }) =>
      isTooOld(version)
        ? fail(
            `Kubernetes ${version} is older than 1.${MIN_MINOR_VERSION}`,
            `upgrade the cluster to 1.${MIN_MINOR_VERSION} or newer`,
          )
        : ok(`Kubernetes ${version}`),
    ),
  },
  {
    ...{ group: 'cluster', name: 'access-entries', stages: ['before', 'after'] },
    rights: ['eks:DescribeCluster'],
    find: ofCluster(({ accessConfig }, { cluster }) => {
      const mode = accessConfig?.authenticationMode ?? 'CONFIG_MAP';
      return mode === 'CONFIG_MAP'
        ? fail(`authentication mode ${mode}: functions and nodes cannot authenticate`, enableAccessEntries(cluster))
        : ok(`authentication mode ${mode}`);
    }),
  },
  {
    ...{ group: 'network', name: 'api-server', stages: ['before', 'after'] },
    rights: ['eks:DescribeCluster'],
    find: ofCluster(({ resourcesVpcConfig: vpc }, { options }) => {
      if (vpc?.endpointPublicAccess !== false) {
        return ok('the API server has a public endpoint');
      }
      return options.functionSubnets.length > 0
        ? ok('the functions are in a VPC, as a private endpoint needs')
        : fail(
            'the API server has a private endpoint only, and the functions would be outside its VPC',
            '--set functionSubnets=<ids> --set functionSecurityGroups=<ids>',
          );
    }),
  },
];

const STACK_CHECKS: readonly AccountCheck[] = [
  {
    ...{ group: 'stack', name: 'state', stages: ['before'] },
    rights: ['cloudformation:DescribeStacks'],
    async find({ stackName, readStackStatus }) {
      const status = await readStackStatus();
      if (status === undefined) return [ok(`no stack ${stackName}`)];
      const about = `${stackName} is ${status}`;
      if (status.endsWith('_IN_PROGRESS')) {
        return [fail(`${about}: CloudFormation changes it`, 'wait until it has finished')];
      }
      if (status === 'DELETE_FAILED' || status === 'ROLLBACK_FAILED') {
        const fix = `aws cloudformation delete-stack --stack-name ${stackName}; its events name what it could not delete`;
        return [fail(`${about}: it can only be deleted`, fix)];
      }
      if (status === 'UPDATE_ROLLBACK_FAILED') {
        const fix = `aws cloudformation continue-update-rollback --stack-name ${stackName}`;
        return [fail(`${about}: it cannot be updated`, fix)];
      }
      if (status === 'ROLLBACK_COMPLETE') {
        return [
          warn(`${about}: the first deployment failed, and the CDK removes it first`, 'its events name the cause'),
        ];
      }
      return [ok(about)];
    },
  },
];

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
