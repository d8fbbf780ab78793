import type { WrittenEC2NodeClass } from '../api/ec2-node-class.ts';
import { readEC2NodeClass } from '../api/read-ec2-node-class.ts';
import type { Labels } from '../model/labels.ts';
import type { NodeSize } from '../model/node-size.ts';
import {
  type ClusterFacts,
  isReady,
  type LaunchTrial,
  type NodeClassResolution,
  type NodePlacementGroup,
  type NodeReservation,
  type NodeSubnet,
} from '../model/resolved-node-class.ts';
import type { EpochMs } from '../model/time.ts';
import { isServed } from '../node-class/alias-parameters.ts';
import { conditionsOf, type Found } from '../node-class/conditions.ts';
import { validate, validateSizes } from '../node-class/validation.ts';
import type { NodeClassIdentity, NodeClassResources } from '../ports/node-class-resources.ts';
import type { ResolvedNodeClass } from '../ports/node-classes.ts';
import type { ClassPorts } from '../ports/ports.ts';
import { tryNodeClass } from './try-node-class.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** An object that could be read. */
export interface ReadableClass extends NodeClassIdentity {
  readonly generation: number;
  readonly annotations: Labels;
  readonly written: WrittenEC2NodeClass;
}

export interface ResolutionAttempt {
  readonly resolution: NodeClassResolution;
  /** Of the APIs that did not answer. */
  readonly failures: readonly Error[];
}

/**
 * What a class stands for. Every part is looked for, whatever came of the others.
 *
 * @param before - of the last look: what cannot be looked up now stays as it was
 */
export async function resolveNodeClass(
  {
    resources,
    facts,
    nodeSizes,
    pools,
  }: Pick<ClassPorts, 'resources' | 'facts' | 'nodeSizes' | 'pools'>,
  object: ReadableClass,
  now: EpochMs,
  before: NodeClassResolution | undefined,
): Promise<ResolutionAttempt> {
  const { name, uid, generation, written } = object;
  const { spec } = written;
  const cluster = await facts();
  const failures: Error[] = [];
  const [images, reservations, group, subnets, securityGroups, instanceProfile] = await Promise.all(
    [
      look(imagesOf(resources, spec, cluster, now), failures),
      look(found(reservationsOf(resources, spec, now)), failures),
      look(placementGroupOf(resources, spec), failures, 'PlacementGroupResolutionFailed'),
      look(subnetsOf(resources, spec), failures),
      look(
        some(
          'SecurityGroupsNotFound',
          GROUPS,
          resources.securityGroups(spec.securityGroupSelectorTerms),
        ),
        failures,
      ),
      look(instanceProfileOf(resources, { name, uid }, spec), failures),
    ],
  );

  const last = before?.uid === uid ? before : undefined;
  const profile = valueOrBefore(instanceProfile, last?.instanceProfile);
  const placementGroup = valueOrBefore(group, last?.placementGroup);
  const reserved = valueOrBefore(reservations, last?.reservations);
  const resolution: NodeClassResolution = {
    name,
    uid,
    generation,
    resolvedAt: now,
    subnets: valueOrBefore(subnets, last?.subnets) ?? [],
    securityGroups: valueOrBefore(securityGroups, last?.securityGroups) ?? [],
    images: valueOrBefore(images, last?.images) ?? [],
    ...(profile !== undefined && { instanceProfile: profile }),
    ...(reserved && { reservations: reserved }),
    ...(placementGroup && { placementGroup }),
    cluster,
    ...(last?.trial && { trial: last.trial }),
    conditions: [],
  };
  const judge = (validation: Found<unknown>): NodeClassResolution['conditions'] =>
    conditionsOf(
      {
        AMIsReady: images,
        CapacityReservationsReady: reservations,
        PlacementGroupReady: group,
        SubnetsReady: subnets,
        SecurityGroupsReady: securityGroups,
        InstanceProfileReady: instanceProfile,
      },
      validation,
      last?.conditions ?? [],
    );
  const conditions = judge(validate(name, written, cluster, nodeSizes !== undefined));
  if (!isReady({ conditions })) return { resolution: { ...resolution, conditions }, failures };

  const sizes = validateSizes(written, sizesFor(name, written, nodeSizes));
  if (sizes.outcome !== 'found') {
    if (sizes.outcome === 'unknown') failures.push(new Error(sizes.message));
    return { resolution: { ...resolution, conditions: judge(sizes) }, failures };
  }
  // EC2 judges a launch only when all is there that a launch needs.
  const { trial, verdict } = await tried(
    { ...resources, ...(pools && { pools }) },
    { ...resolution, written },
    object,
    failures,
  );
  return {
    resolution: { ...resolution, ...(trial && { trial }), conditions: judge(verdict) },
    failures,
  };
}

function sizesFor(
  name: string,
  written: WrittenEC2NodeClass,
  nodeSizes: ClassPorts['nodeSizes'],
): readonly NodeSize[] {
  const reading = readEC2NodeClass(name, written);
  return reading.outcome === 'read' && nodeSizes ? nodeSizes(reading.value) : [];
}

async function tried(
  parts: Parameters<typeof tryNodeClass>[0],
  resolved: ResolvedNodeClass,
  { annotations }: ReadableClass,
  failures: Error[],
): Promise<{ readonly trial?: LaunchTrial; readonly verdict: Found<unknown> }> {
  const { trial: before, resolvedAt } = resolved;
  const looking = tryNodeClass(parts, resolved, annotations, before, resolvedAt);
  const answer = await look(found(looking), failures);
  if (answer.outcome !== 'found') return { verdict: answer };
  const trial = answer.value;
  const refusal = trial?.refusal;
  return {
    ...(trial && { trial }),
    verdict: refusal ? { outcome: 'refused', ...refusal } : { outcome: 'found', value: undefined },
  };
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

const found = async <T>(looking: Promise<T>): Promise<Found<T>> => ({
  outcome: 'found',
  value: await looking,
});

async function look<T>(
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

/** What nobody could look up is not known to be gone. */
function valueOrBefore<T>(part: Found<T>, before: T | undefined): T | undefined {
  if (part.outcome === 'found') return part.value;
  return part.outcome === 'unknown' ? before : undefined;
}
