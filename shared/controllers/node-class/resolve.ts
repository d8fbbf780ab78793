import type { WrittenEC2NodeClass } from '../../api/ec2-node-class.ts';
import { readEC2NodeClass } from '../../api/read-ec2-node-class.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeSize } from '../../model/node-size.ts';
import {
  isReady,
  type LaunchTrial,
  type NodeClassResolution,
} from '../../model/resolved-node-class.ts';
import type { EpochMs } from '../../model/time.ts';
import { conditionsOf, type Found } from '../../ec2/node-class/conditions.ts';
import { validate, validateSizes } from '../../ec2/node-class/validation.ts';
import type { NodeClassIdentity, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { ClassPorts } from '../../ports/ports.ts';
import { type ClassParts, found, lookAtParts, looked } from './resolve-parts.ts';
import { tryNodeClass } from './dry-run.ts';

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
  const cluster = await facts();
  const failures: Error[] = [];
  const parts = await lookAtParts(resources, object, { cluster, now }, failures);

  const last = before?.uid === uid ? before : undefined;
  const resolution: NodeClassResolution = {
    name,
    uid,
    generation,
    resolvedAt: now,
    ...standing(parts, last),
    cluster,
    ...(last?.trial && { trial: last.trial }),
    conditions: [],
  };
  const judge = (validation: Found<unknown>): NodeClassResolution['conditions'] =>
    conditionsOf(
      {
        AMIsReady: parts.images,
        CapacityReservationsReady: parts.reservations,
        PlacementGroupReady: parts.placementGroup,
        SubnetsReady: parts.subnets,
        SecurityGroupsReady: parts.securityGroups,
        InstanceProfileReady: parts.instanceProfile,
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
  const answer = await looked(found(looking), failures);
  if (answer.outcome !== 'found') return { verdict: answer };
  const trial = answer.value;
  const refusal = trial?.refusal;
  return {
    ...(trial && { trial }),
    verdict: refusal ? { outcome: 'refused', ...refusal } : { outcome: 'found', value: undefined },
  };
}

/** What can be launched into, with the parts that could not be looked up as they were. */
function standing(
  parts: ClassParts,
  last: NodeClassResolution | undefined,
): Pick<NodeClassResolution, keyof ClassParts> {
  const profile = valueOrBefore(parts.instanceProfile, last?.instanceProfile);
  const placementGroup = valueOrBefore(parts.placementGroup, last?.placementGroup);
  const reserved = valueOrBefore(parts.reservations, last?.reservations);
  return {
    subnets: valueOrBefore(parts.subnets, last?.subnets) ?? [],
    securityGroups: valueOrBefore(parts.securityGroups, last?.securityGroups) ?? [],
    images: valueOrBefore(parts.images, last?.images) ?? [],
    ...(profile !== undefined && { instanceProfile: profile }),
    ...(reserved && { reservations: reserved }),
    ...(placementGroup && { placementGroup }),
  };
}

/** What nobody could look up is not known to be gone. */
function valueOrBefore<T>(part: Found<T>, before: T | undefined): T | undefined {
  if (part.outcome === 'found') return part.value;
  return part.outcome === 'unknown' ? before : undefined;
}
