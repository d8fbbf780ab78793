import type { EC2Client } from '@aws-sdk/client-ec2';
import type { IAMClient } from '@aws-sdk/client-iam';
import { toClusterIdentity } from '../aws/dynamodb/cluster-identities.ts';
import { eksClusterRegistry } from '../aws/eks/cluster-registry.ts';
import type { Log } from '../aws/log.ts';
import { awsClusterResources } from '../aws/node-class/cluster-resources.ts';
import type { AwsCredentials } from '../aws/signed-request.ts';
import {
  type DeletedClusterPorts,
  reconcileDeletedCluster,
} from '../controllers/garbage-collection/deleted-cluster.ts';
import type { ClusterRegistry } from '../ports/deleted-cluster.ts';
import type { ApiServerSettings } from './settings.ts';

export interface DeletedClusterDependencies {
  readonly ports: Omit<DeletedClusterPorts, 'registry' | 'resources'>;
  readonly ec2: EC2Client;
  /** Its calls must fail soon: an isolated VPC may drop them. */
  readonly iam: IAMClient;
  readonly credentials: () => Promise<AwsCredentials>;
  readonly log: Log;
}

export interface DeletedClusterCheckSettings
  extends Pick<ApiServerSettings, 'cluster' | 'region' | 'certificateAuthority'> {
  /** How long EKS must not have the cluster. */
  readonly afterMs: number;
  /** `undefined` for the region's own endpoint of EKS. */
  readonly eksEndpoint?: string;
}

/** Wires what ends the remains of a deleted cluster. None of it uses the API server. */
export function createDeletedClusterCheck(
  { ports, ec2, iam, credentials, log }: DeletedClusterDependencies,
  { cluster, region, certificateAuthority, afterMs, eksEndpoint }: DeletedClusterCheckSettings,
): () => Promise<void> {
  const registry = eksClusterRegistry(
    { cluster, region, ...(eksEndpoint !== undefined && { endpoint: eksEndpoint }) },
    credentials,
  );
  const checkPorts = {
    ...ports,
    registry: logFirstFailure(registry, log),
    resources: awsClusterResources({ ec2, iam }, { cluster, region }),
  };
  const own = toClusterIdentity(certificateAuthority);
  return () => reconcileDeletedCluster(checkPorts, { own, afterMs });
}

/** A VPC may have no way to EKS: one line per process says so. */
function logFirstFailure(registry: ClusterRegistry, log: Log): ClusterRegistry {
  let isLogged = false;
  return {
    async find() {
      const lookup = await registry.find();
      if (lookup.outcome === 'unknown' && !isLogged) {
        isLogged = true;
        const fields = { why: lookup.why };
        log({ level: 'warn', message: 'a deleted cluster would not be noticed', fields });
      }
      return lookup;
    },
  };
}
