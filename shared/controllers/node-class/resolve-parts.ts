import type { WrittenEC2NodeClass } from '../../api/ec2-node-class.ts';
import type {
  ClusterFacts,
  NodeImage,
  NodePlacementGroup,
  NodeReservation,
  NodeSecurityGroup,
  NodeSubnet,
} from '../../model/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';
import { isServed } from '../../ec2/node-class/alias-parameters.ts';
import type { Found } from '../../ec2/node-class/conditions.ts';
import type { NodeClassIdentity, NodeClassResources } from '../../ports/node-classes.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** What the selectors of a class stand for now. */
export interface ClassParts {
  readonly images: Found<readonly NodeImage[]>;
  readonly reservations: Found<readonly NodeReservation[] | undefined>;
  readonly placementGroup: Found<NodePlacementGroup | undefined>;
  readonly subnets: Found<readonly NodeSubnet[]>;
  readonly securityGroups: Found<readonly NodeSecurityGroup[]>;
  readonly instanceProfile: Found<string>;
}

/**
 * All parts at once, whatever comes of each.
 *
 * @param failures - takes those of the APIs that do not answer
 */
export async function lookAtParts(
  resources: NodeClassResources,
  { name, uid, written: { spec } }: NodeClassIdentity & { readonly written: WrittenEC2NodeClass },
  { cluster, now }: { readonly cluster: ClusterFacts; readonly now: EpochMs },
  failures: Error[],
): Promise<ClassParts> {
  const groups = resources.securityGroups(spec.securityGroupSelectorTerms);
  const [images, reservations, placementGroup, subnets, securityGroups, instanceProfile] =
    await Promise.all([
      looked(imagesOf(resources, spec, cluster, now), failures),
      looked(found(reservationsOf(resources, spec, now)), failures),
      looked(placementGroupOf(resources, spec), failures, 'PlacementGroupResolutionFailed'),
      looked(subnetsOf(resources, spec), failures),
      looked(some('SecurityGroupsNotFound', GROUPS, groups), failures),
      looked(instanceProfileOf(resources, { name, uid }, spec), failures),
    ]);
  return { images, reservations, placementGroup, subnets, securityGroups, instanceProfile };
}

const SUBNETS = 'SubnetSelectorTerms match no subnet';
const GROUPS = 'SecurityGroupSelectorTerms match no security group';
const IMAGES = 'AMISelectorTerms match no image';

async function imagesOf(
  resources: NodeClassResources,
  spec: Spec,
  { version }: ClusterFacts,
  now: EpochMs,
) {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias ?? '';
  if (isServed(alias, version)) {
    return some('AMINotFound', IMAGES, resources.images(spec, version, now));
  }
  const message = `${alias} is not published for Kubernetes ${version}`;
  return { outcome: 'refused', reason: 'UnsupportedAlias', message } as const;
}

/** Nothing starts in a subnet that is full; the class is no worse for it while others have room. */
async function subnetsOf(
  resources: NodeClassResources,
  { subnetSelectorTerms: terms }: Spec,
): Promise<Found<readonly NodeSubnet[]>> {
  const part = await some('SubnetsNotFound', SUBNETS, resources.subnets(terms));
  if (part.outcome !== 'found') return part;
  const full = part.value.filter(({ freeAddresses }) => freeAddresses === 0);
  if (full.length === 0) return part;
  const names = full.map(({ id, zone }) => `${id} (${zone})`).join(', ');
  return { ...part, note: `Without a free address, and so without new nodes: ${names}` };
}

/** Absent: the class asks for none. */
async function reservationsOf(
  resources: NodeClassResources,
  { capacityReservationSelectorTerms: terms = [] }: Spec,
  now: EpochMs,
): Promise<readonly NodeReservation[] | undefined> {
  return terms.length > 0 ? resources.reservations(terms, now) : undefined;
}

async function placementGroupOf(
  resources: NodeClassResources,
  { placementGroupSelector: selector }: Spec,
): Promise<Found<NodePlacementGroup | undefined>> {
  if (!selector) return { outcome: 'found', value: undefined };
  const value = await resources.placementGroup(selector);
  if (value) return { outcome: 'found', value };
  const message = `no placement group ${selector.name ?? selector.id} is available`;
  return { outcome: 'refused', reason: 'PlacementGroupNotFound', message };
}

async function instanceProfileOf(
  resources: NodeClassResources,
  owner: NodeClassIdentity,
  spec: Spec,
): Promise<Found<string>> {
  const value = await resources.instanceProfile(owner, spec);
  if (value !== undefined) return { outcome: 'found', value };
  const message =
    'spec.role needs IAM, which is out of reach (ISOLATED_VPC): set spec.instanceProfile';
  return { outcome: 'refused', reason: 'InstanceProfileNotFound', message };
}

async function some<T>(
  reason: string,
  message: string,
  looking: Promise<readonly T[]>,
): Promise<Found<readonly T[]>> {
  const value = await looking;
  return value.length > 0 ? { outcome: 'found', value } : { outcome: 'refused', reason, message };
}

/** What was looked for and need not be there. */
export const found = async <T>(looking: Promise<T>): Promise<Found<T>> => ({
  outcome: 'found',
  value: await looking,
});

/** What does not answer is not known, and the others are looked at all the same. */
export async function looked<T>(
  looking: Promise<Found<T>>,
  failures: Error[],
  reason?: string,
): Promise<Found<T>> {
  try {
    return await looking;
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    failures.push(failure);
    return { outcome: 'unknown', ...(reason && { reason }), message: failure.message };
  }
}
