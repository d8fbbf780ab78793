import type { WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import { isAliasPublished } from '../../ec2/node-class/alias-parameters.ts';
import type { DiscoveryResult } from '../../ec2/node-class/conditions.ts';
import { MissingRightError } from '../../model/errors.ts';
import type {
  ClusterFacts,
  NodeImage,
  NodePlacementGroup,
  NodeReservation,
  NodeSecurityGroup,
  NodeSubnet,
} from '../../model/nodes/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';
import type { NodeClassIdentity, NodeClassResources } from '../../ports/node-classes.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** The resources that the selectors of a class resolve to. */
export interface NodeClassParts {
  readonly images: DiscoveryResult<readonly NodeImage[]>;
  readonly reservations: DiscoveryResult<readonly NodeReservation[] | undefined>;
  readonly placementGroup: DiscoveryResult<NodePlacementGroup | undefined>;
  readonly subnets: DiscoveryResult<readonly NodeSubnet[]>;
  readonly securityGroups: DiscoveryResult<readonly NodeSecurityGroup[]>;
  readonly instanceProfile: DiscoveryResult<string>;
}

/**
 * Resolves all parts concurrently; each may fail on its own.
 *
 * @param failures - receives the errors of APIs that do not answer
 */
export async function resolveParts(
  resources: NodeClassResources,
  { name, uid, written: { spec } }: NodeClassIdentity & { readonly written: WrittenEC2NodeClass },
  { cluster, now }: { readonly cluster: ClusterFacts; readonly now: EpochMs },
  failures: Error[],
): Promise<NodeClassParts> {
  const groups = resources.securityGroups(spec.securityGroupSelectorTerms);
  const [images, reservations, placementGroup, subnets, securityGroups, instanceProfile] = await Promise.all([
    orUnknown(findImages(resources, spec, cluster, now), failures),
    orUnknown(toFound(findReservations(resources, spec, now)), failures),
    orUnknown(findPlacementGroup(resources, spec), failures, 'PlacementGroupResolutionFailed'),
    orUnknown(findSubnets(resources, spec), failures),
    orUnknown(
      requireNonEmpty(
        'SecurityGroupsNotFound',
        formatNoMatch('security group', 'securityGroupSelectorTerms', spec.securityGroupSelectorTerms),
        groups,
      ),
      failures,
    ),
    orUnknown(findInstanceProfile(resources, { name, uid }, spec), failures),
  ]);
  return { images, reservations, placementGroup, subnets, securityGroups, instanceProfile };
}

type SelectorTerm =
  | Spec['subnetSelectorTerms'][number]
  | Spec['securityGroupSelectorTerms'][number]
  | Spec['amiSelectorTerms'][number];

/** `no subnet has karpenter.sh/discovery=shop (spec.subnetSelectorTerms)`. */
function formatNoMatch(what: string, field: string, terms: readonly SelectorTerm[]): string {
  const texts = terms.map(({ tags = {}, ...fields }) =>
    [
      ...Object.entries(tags).map(([key, value]) => (value === '*' ? key : `${key}=${value}`)),
      ...Object.entries(fields).map(([name, value]) => `${name} ${value}`),
    ].join(' and '),
  );
  return `no ${what} has ${texts.join(', or ')} (spec.${field})`;
}

async function findImages(resources: NodeClassResources, spec: Spec, { version }: ClusterFacts, now: EpochMs) {
  const alias = spec.amiSelectorTerms.find((term) => term.alias !== undefined)?.alias ?? '';
  if (isAliasPublished(alias, version)) {
    const message = formatNoMatch('image', 'amiSelectorTerms', spec.amiSelectorTerms);
    return requireNonEmpty('AMINotFound', message, resources.images(spec, version, now));
  }
  const message = `${alias} is not published for Kubernetes ${version}`;
  return { outcome: 'refused', reason: 'UnsupportedAlias', message } as const;
}

/** Full subnets are noted but no error while others have free addresses. */
async function findSubnets(
  resources: NodeClassResources,
  { subnetSelectorTerms: terms }: Spec,
): Promise<DiscoveryResult<readonly NodeSubnet[]>> {
  const message = formatNoMatch('subnet', 'subnetSelectorTerms', terms);
  const part = await requireNonEmpty('SubnetsNotFound', message, resources.subnets(terms));
  if (part.outcome !== 'found') return part;
  const full = part.value.filter(({ freeAddresses }) => freeAddresses === 0);
  if (full.length === 0) return part;
  const names = full.map(({ id, zone }) => `${id} (${zone})`).join(', ');
  return { ...part, note: `Without a free address, and so without new nodes: ${names}` };
}

/**
 * @returns undefined if the class selects no reservations
 */
async function findReservations(
  resources: NodeClassResources,
  { capacityReservationSelectorTerms: terms = [] }: Spec,
  now: EpochMs,
): Promise<readonly NodeReservation[] | undefined> {
  return terms.length > 0 ? resources.reservations(terms, now) : undefined;
}

async function findPlacementGroup(
  resources: NodeClassResources,
  { placementGroupSelector: selector }: Spec,
): Promise<DiscoveryResult<NodePlacementGroup | undefined>> {
  if (!selector) return { outcome: 'found', value: undefined };
  const value = await resources.placementGroup(selector);
  if (value) return { outcome: 'found', value };
  const message = `no placement group ${selector.name ?? selector.id} is available`;
  return { outcome: 'refused', reason: 'PlacementGroupNotFound', message };
}

async function findInstanceProfile(
  resources: NodeClassResources,
  owner: NodeClassIdentity,
  spec: Spec,
): Promise<DiscoveryResult<string>> {
  const value = await resources.instanceProfile(owner, spec);
  if (value !== undefined) return { outcome: 'found', value };
  const message = 'spec.role needs IAM, which is out of reach (ISOLATED_VPC): set spec.instanceProfile';
  return { outcome: 'refused', reason: 'InstanceProfileNotFound', message };
}

async function requireNonEmpty<T>(
  reason: string,
  message: string,
  lookup: Promise<readonly T[]>,
): Promise<DiscoveryResult<readonly T[]>> {
  const value = await lookup;
  return value.length > 0 ? { outcome: 'found', value } : { outcome: 'refused', reason, message };
}

/** For parts that may be empty. */
export const toFound = async <T>(lookup: Promise<T>): Promise<DiscoveryResult<T>> => ({
  outcome: 'found',
  value: await lookup,
});

/**
 * Turns an API failure into `unknown`, so that the other parts are still resolved. A missing right
 * refuses the class: only a user can give it.
 */
export async function orUnknown<T>(
  lookup: Promise<DiscoveryResult<T>>,
  failures: Error[],
  reason?: string,
): Promise<DiscoveryResult<T>> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof MissingRightError)
      return { outcome: 'refused', reason: 'AccessDenied', message: error.message };
    const failure = error instanceof Error ? error : new Error(String(error));
    failures.push(failure);
    return { outcome: 'unknown', ...(reason && { reason }), message: failure.message };
  }
}
