import { staticHash } from '../../../api/static-hash.ts';
import type { WrittenEC2NodeClass } from '../../../api/stored-objects/ec2-node-class.ts';
import { NODECLASS_LABEL, NODEPOOL_LABEL } from '../../../model/labels.ts';
import type { NodeClaim } from '../../../model/nodes/node-claim.ts';
import type { EC2NodeClass } from '../../../model/nodes/node-class.ts';
import type { NodeClassResolution } from '../../../model/nodes/resolved-node-class.ts';
import type {
  CapacityType,
  ComputedReserves,
  OfferingReservation,
} from '../../../model/offerings/instance-type.ts';
import { listBootLabels, listBootTaints, mergeBootKubelet } from '../user-data/boot-facts.ts';
import { buildUserData } from '../user-data/user-data.ts';
import { type BlockDevice, listBlockDevices } from './block-devices.ts';
import { isIpv6, listNetworkInterfaces, type NetworkInterface } from './network-interfaces.ts';
import { findPartition } from './partition.ts';

type Spec = WrittenEC2NodeClass['spec'];

export type Tenancy = 'default' | 'dedicated';

/** What a launch template says: all of an instance but its type and its subnet. */
export interface TemplateContent {
  readonly imageId: string;
  readonly instanceProfile: string;
  /** As text; EC2 takes it in base64. */
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
  /** Instances run in it or not at all; absent: in none, even where one is open to them. */
  readonly reservation?: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>;
  readonly placement?: { readonly groupId: string; readonly partition?: number };
  /** On whatever comes from it. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The class that a node is made by. */
export interface TemplateClass extends NodeClassResolution {
  readonly written: WrittenEC2NodeClass;
}

/** What instance types of one launch may differ in and so need templates of their own. */
export interface TemplateVariant {
  readonly imageId: string;
  readonly maxPods: number;
  /** What the class computes for the types; absent: it computes nothing. */
  readonly reserves?: ComputedReserves;
  /** 0: the claim asks for none. */
  readonly efaCount: number;
  /** Of a reserved launch. */
  readonly reservation?: Pick<OfferingReservation, 'id' | 'kind' | 'isInterruptible'>;
}

const NITRO_SANDBOX = 'eks.amazonaws.com/nitro-sandbox';
export const TENANCY_LABEL = 'karpenter.k8s.aws/instance-tenancy';

/**
 * @param nodeClass - `from.written`, as instance types see it
 * @throws UserDataError - the user's own user data cannot be read
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
      kubelet: mergeBootKubelet(
        spec.kubelet ?? {},
        { maxPods, ...(reserves && { reserves }) },
        cluster,
      ),
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
    hasEnclaves: (claim.requests[NITRO_SANDBOX] ?? 0) > 0,
    isSpot: capacityType === 'spot',
    ...(reservation && { reservation }),
    ...findPlacement(claim, from),
    tags: buildLaunchTags(claim, from),
  };
}

/** Of the partitions that are allowed the first, by their names; else EC2 chooses one. */
function findPlacement(
  claim: NodeClaim,
  { placementGroup: group }: TemplateClass,
): Pick<TemplateContent, 'placement'> {
  if (!group) return {};
  const partition = findPartition(claim, group);
  const placement = { groupId: group.id };
  if (partition === undefined) return { placement };
  return { placement: { ...placement, partition: Number(partition) } };
}

/** An alias says it; else Bottlerocket's images have it in their names. */
function findImageVersion(
  { written, images }: TemplateClass,
  imageId: string,
): { readonly imageVersion?: string } {
  const alias = written.spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
  const name = images.find(({ id }) => id === imageId)?.name ?? '';
  const imageVersion =
    alias === undefined ? /-v(\d+\.\d+\.\d+)\b/.exec(name)?.[1] : alias.split('@')[1];
  return imageVersion === undefined ? {} : { imageVersion };
}

/** The tags of all that a launch makes. Those that say whose it is win over the user's. */
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

/** Shared hardware wherever it is allowed. */
function findTenancy({ requirements }: NodeClaim): Tenancy {
  const wanted = requirements.find(({ key }) => key === TENANCY_LABEL);
  return wanted?.operator === 'In' && !wanted.values?.includes('default') ? 'dedicated' : 'default';
}

/**
 * The name of the one template with this content. A class's name is in its tags, so classes of equal
 * content have templates of their own.
 */
export const computeTemplateName = (content: TemplateContent): string =>
  `${TEMPLATE_PREFIX}${staticHash(content)}`;

export const TEMPLATE_PREFIX = 'karpenter.k8s.aws/';
