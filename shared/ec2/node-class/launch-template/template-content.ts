import { staticHash } from '../../../api/static-hash.ts';
import type { WrittenEC2NodeClass } from '../../../api/stored-objects/ec2-node-class.ts';
import { NODECLASS_LABEL, NODEPOOL_LABEL } from '../../../model/labels.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { EC2NodeClass } from '../../../model/nodes/node-class.ts';
import type { NodeClassResolution } from '../../../model/nodes/resolved-node-class.ts';
import type { CapacityType, ComputedReserves, OfferingReservation } from '../../../model/offerings/instance-type.ts';
import { listBootLabels, listBootTaints, mergeBootKubelet } from '../user-data/boot-facts.ts';
import { buildUserData } from '../user-data/user-data.ts';
import { type BlockDevice, listBlockDevices } from './block-devices.ts';
import { isIpv6, listNetworkInterfaces, type NetworkInterface } from './network-interfaces.ts';
import { findPartition } from './partition.ts';

type Spec = WrittenEC2NodeClass['spec'];

export type Tenancy = 'default' | 'dedicated';

/** The content of a launch template: everything about an instance except type and subnet. */
export interface TemplateContent {
  readonly imageId: string;
  readonly instanceProfile: string;
  /** Plain text; EC2 takes it in base64. */
  readonly userData: string;
  readonly blockDevices: readonly BlockDevice[];
  readonly metadata: Spec['metadataOptions'];
  readonly detailedMonitoring: boolean;
  readonly networkInterfaces: readonly NetworkInterface[];
  readonly securityGroups: readonly string[];
  readonly tenancy: Tenancy;
  readonly nestedVirtualization?: 'enabled' | 'disabled';
  readonly hasEnclaves: boolean;
  readonly isSpot: boolean;
  /** The only reservation that instances may use; undefined to use none, not even open ones. */
  readonly reservation?: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>;
  readonly placement?: { readonly groupId: string; readonly partition?: number };
  /** Tags of everything that is created from the template. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The resolved class with its manifest. */
export interface TemplateClass extends NodeClassResolution {
  readonly written: WrittenEC2NodeClass;
}

/**
 * Properties in which the instance types of one launch may differ, so that they need separate
 * templates.
 */
export interface TemplateVariant {
  readonly imageId: string;
  readonly maxPods: number;
  /** Reserves that the class computes for the types; undefined if it computes none. */
  readonly reserves?: ComputedReserves;
  /** 0 if the claim requests no EFA. */
  readonly efaCount: number;
  /** Set for a reserved launch. */
  readonly reservation?: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>;
}

const NITRO_SANDBOX = 'eks.amazonaws.com/nitro-sandbox';
export const TENANCY_LABEL = 'karpenter.k8s.aws/instance-tenancy';

/**
 * Builds the content of a template.
 *
 * @param nodeClass - the parsed form of `from.written`
 * @throws UserDataError - the custom user data cannot be parsed
 */
export function buildTemplateContent(
  claim: NodeClaim,
  from: TemplateClass,
  nodeClass: EC2NodeClass,
  capacityType: CapacityType,
  { imageId, maxPods, reserves, efaCount, reservation }: TemplateVariant,
): TemplateContent {
  const { cluster, instanceProfile = '', written, securityGroups } = from;
  const { spec } = written;
  const nested = spec.cpuOptions?.nestedVirtualization;
  return {
    imageId,
    instanceProfile,
    userData: buildUserData(nodeClass.amiFamily, {
      cluster,
      labels: listBootLabels(claim, capacityType),
      taints: listBootTaints(claim),
      kubelet: mergeBootKubelet(spec.kubelet ?? {}, { maxPods, ...(reserves && { reserves }) }, cluster),
      ...findImageVersion(from, imageId),
      usesRaid0: spec.instanceStorePolicy === 'RAID0',
      custom: spec.userData ?? '',
    }),
    blockDevices: listBlockDevices(spec, nodeClass.amiFamily),
    metadata: spec.metadataOptions,
    detailedMonitoring: spec.detailedMonitoring ?? false,
    networkInterfaces: listNetworkInterfaces(spec, { efaCount, isIpv6: isIpv6(cluster.dnsIp) }),
    securityGroups: securityGroups.map(({ id }) => id),
    tenancy: findTenancy(claim),
    ...(nested && { nestedVirtualization: nested }),
    hasEnclaves: nodeClass.runsEnclaves === true || (claim.requests[NITRO_SANDBOX] ?? 0) > 0,
    isSpot: capacityType === 'spot',
    ...(reservation && { reservation }),
    ...findPlacement(claim, from),
    tags: buildLaunchTags(claim, from),
  };
}

/** Pins the first allowed partition, if the claim restricts partitions; otherwise EC2 chooses. */
function findPlacement(claim: NodeClaim, { placementGroup: group }: TemplateClass): Pick<TemplateContent, 'placement'> {
  if (!group) return {};
  const partition = findPartition(claim, group);
  const placement = { groupId: group.id };
  if (partition === undefined) return { placement };
  return { placement: { ...placement, partition: Number(partition) } };
}

/** The alias contains the version; otherwise the names of Bottlerocket images do. */
function findImageVersion({ written, images }: TemplateClass, imageId: string): { readonly imageVersion?: string } {
  const alias = written.spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  const name = images.find(({ id }) => id === imageId)?.name ?? '';
  const imageVersion = alias === undefined ? /-v(\d+\.\d+\.\d+)\b/.exec(name)?.[1] : alias.split('@')[1];
  return imageVersion === undefined ? {} : { imageVersion };
}

/**
 * Builds the tags of everything that a launch creates. Ownership tags take precedence over the
 * user's.
 */
export const buildLaunchTags = (
  { pool, nodeClass }: NodeClaim,
  { cluster, written }: Pick<TemplateClass, 'cluster' | 'written'>,
): Readonly<Record<string, string>> => ({
  ...written.spec.tags,
  [`kubernetes.io/cluster/${cluster.name}`]: 'owned',
  'eks:eks-cluster-name': cluster.name,
  [NODEPOOL_LABEL]: pool,
  [NODECLASS_LABEL]: nodeClass.name,
});

/** Shared hardware unless the claim excludes it. */
function findTenancy({ requirements }: NodeClaim): Tenancy {
  const requirement = requirements.find(({ key }) => key === TENANCY_LABEL);
  return requirement?.operator === 'In' && !requirement.values?.includes('default') ? 'dedicated' : 'default';
}

/**
 * Returns the name of the template with this content. The tags contain the class's name, so classes
 * with equal content have separate templates.
 */
export const computeTemplateName = (content: TemplateContent): string => `${TEMPLATE_PREFIX}${staticHash(content)}`;

export const TEMPLATE_PREFIX = 'karpenter.k8s.aws/';
