import type { EC2Client } from '@aws-sdk/client-ec2';
import type { EKSClient } from '@aws-sdk/client-eks';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { TemplateUses } from '../aws/dynamodb/template-uses.ts';
import { toNodeSizes, toTypeSettings } from '../aws/ec2/catalogue/type-settings.ts';
import { readServiceCidr } from '../aws/eks/cluster-network.ts';
import { awsNodeClassResources } from '../aws/node-class/class-resources.ts';
import { createLaunchTemplates } from '../aws/node-class/launch-templates.ts';
import { createNodeAccess } from '../aws/node-class/node-access.ts';
import type { KubernetesApi } from '../kubernetes/client/kubernetes-api.ts';
import { kubernetesNodeClasses } from '../kubernetes/kubernetes-node-classes.ts';
import { readDnsIp, readKubernetesVersion } from '../kubernetes/readers/read-cluster-facts.ts';
import { listNodePools } from '../kubernetes/readers/read-node-pool.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../model/settings.ts';
import type { NodeClasses } from '../ports/node-classes.ts';
import type { ClassPorts, Clock } from '../ports/ports.ts';
import type { StackSettings } from './settings.ts';

export interface NodeClassDependencies {
  readonly api: KubernetesApi;
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly iam: IAMClient;
  readonly ssm: SSMClient;
  readonly nodeClasses: NodeClasses;
  readonly templateUses: TemplateUses;
  readonly clock: Clock;
}

/** Builds the ports that resolve EC2NodeClasses for one cluster in one account. */
export function createNodeClassPorts(
  { api, ec2, eks, iam, ssm, nodeClasses, templateUses: uses, clock }: NodeClassDependencies,
  settings: Omit<StackSettings, 'table' | 'bucket'>,
  decisions: DecisionSettings = DEFAULT_SETTINGS,
): ClassPorts {
  const { cluster, region, endpoint, certificateAuthority } = settings;
  // The service CIDR never changes, so it is read once per process.
  let serviceCidr = settings.serviceCidr;

  return {
    records: nodeClasses,
    objects: kubernetesNodeClasses(api),
    resources: awsNodeClassResources(
      {
        ...{ ec2, ssm, uses },
        // The role of an instance profile is known to IAM only.
        ...(!settings.isIsolated && {
          iam,
          nodeAccess: createNodeAccess({ eks, iam, clock }, cluster),
        }),
        ...(!settings.isDryRunOff && { templates: createLaunchTemplates({ ec2, clock, uses }, { region }) }),
      },
      { cluster, region, types: toTypeSettings(decisions) },
    ),
    ...toNodeSizes(decisions),
    volumeKeys: settings.volumeKeys ?? [],
    pools: () => listNodePools(api),
    async facts() {
      serviceCidr ??= await readServiceCidr(eks, cluster);
      const [version, dnsIp] = await Promise.all([readKubernetesVersion(api), readDnsIp(api)]);
      return {
        name: cluster,
        endpoint,
        certificateAuthority: Buffer.from(certificateAuthority).toString('base64'),
        version,
        ...(serviceCidr !== undefined && { serviceCidr }),
        ...(dnsIp !== undefined && { dnsIp }),
      };
    },
  };
}
