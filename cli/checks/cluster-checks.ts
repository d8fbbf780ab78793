import type { Cluster } from '@aws-sdk/client-eks';
import { enableAccessEntries, isTooOld, MIN_MINOR_VERSION } from '../cluster/cluster-requirements.ts';
import type { AccountCheck, CheckSources } from './check-sources.ts';
import { type Finding, fail, ok } from './finding.ts';

/** A cluster that does not exist is an error of the command, so no check mentions it. */
const ofCluster =
  (judge: (cluster: Cluster, sources: CheckSources) => Finding): AccountCheck['find'] =>
  async (sources) => {
    const cluster = await sources.readCluster();
    return cluster ? [judge(cluster, sources)] : [];
  };

export const CLUSTER_CHECKS: readonly AccountCheck[] = [
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
