import { canonicalText, staticHash } from '../../api/static-hash.ts';
import { readEC2NodeClass, type WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import { computeConditions, type DiscoveryResult } from '../../ec2/node-class/conditions.ts';
import { findDryRunTenancy } from '../../ec2/node-class/dry-run-tenancy.ts';
import type { Tenancy } from '../../ec2/node-class/launch-template/template-content.ts';
import { validateKubeletExpressions, validateNodeClass } from '../../ec2/node-class/validation.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeSize } from '../../model/nodes/node-class.ts';
import { type DryRunRecord, isReady, type NodeClassResolution } from '../../model/nodes/resolved-node-class.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { NodeClassIdentity, NodeClassResources, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { ClassPorts } from '../../ports/ports.ts';
import { type NodeClassParts, orUnknown, resolveParts, toFound } from './resolve-parts.ts';

/** An EC2NodeClass whose spec could be parsed. */
export interface ReadableNodeClass extends NodeClassIdentity {
  readonly generation: number;
  readonly annotations: Labels;
  readonly written: WrittenEC2NodeClass;
}

export interface ResolutionAttempt {
  readonly resolution: NodeClassResolution;
  /** Errors of APIs that did not answer. */
  readonly failures: readonly Error[];
}

/**
 * Resolves a class: looks up all parts, validates it and dry-runs a launch.
 *
 * @param before - the last resolution; parts that cannot be looked up now keep its values
 */
export async function resolveNodeClass(
  {
    resources,
    facts,
    nodeSizes,
    pools,
    volumeKeys,
  }: Pick<ClassPorts, 'resources' | 'facts' | 'nodeSizes' | 'pools' | 'volumeKeys'>,
  object: ReadableNodeClass,
  now: EpochMs,
  before: NodeClassResolution | undefined,
): Promise<ResolutionAttempt> {
  const { name, uid, generation, written } = object;
  const cluster = await facts();
  const failures: Error[] = [];
  const parts = await resolveParts(resources, object, { cluster, now }, failures);

  const last = before?.uid === uid ? before : undefined;
  const resolution: NodeClassResolution = {
    name,
    uid,
    generation,
    resolvedAt: now,
    ...mergeParts(parts, last),
    cluster,
    ...(last?.lastDryRun && { lastDryRun: last.lastDryRun }),
    conditions: [],
  };
  const toConditions = (validation: DiscoveryResult<unknown>): NodeClassResolution['conditions'] =>
    computeConditions(
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
  const validation = validateNodeClass(name, written, cluster, {
    takesExpressions: nodeSizes !== undefined,
    ...(volumeKeys && { volumeKeys }),
  });
  const conditions = toConditions(validation);
  if (!isReady({ conditions })) return { resolution: { ...resolution, conditions }, failures };

  const sizes = validateKubeletExpressions(written, sizesFor(name, written, nodeSizes));
  if (sizes.outcome !== 'found') {
    if (sizes.outcome === 'unknown') failures.push(new Error(sizes.message));
    return { resolution: { ...resolution, conditions: toConditions(sizes) }, failures };
  }
  // A dry run needs a class that is otherwise ready.
  const { lastDryRun, verdict } = await dryRun(
    { ...resources, ...(pools && { pools }) },
    { ...resolution, written },
    object,
    failures,
  );
  return {
    resolution: {
      ...resolution,
      ...(lastDryRun && { lastDryRun }),
      conditions: toConditions(verdict.outcome === 'found' ? validation : verdict),
    },
    failures,
  };
}

function sizesFor(name: string, written: WrittenEC2NodeClass, nodeSizes: ClassPorts['nodeSizes']): readonly NodeSize[] {
  const reading = readEC2NodeClass(name, written);
  return reading.outcome === 'read' && nodeSizes ? nodeSizes(reading.value) : [];
}

async function dryRun(
  parts: Parameters<typeof dryRunNodeClass>[0],
  resolved: ResolvedNodeClass,
  { annotations }: ReadableNodeClass,
  failures: Error[],
): Promise<{ readonly lastDryRun?: DryRunRecord; readonly verdict: DiscoveryResult<unknown> }> {
  const { lastDryRun: before, resolvedAt } = resolved;
  const answer = await orUnknown(toFound(dryRunNodeClass(parts, resolved, annotations, before, resolvedAt)), failures);
  if (answer.outcome !== 'found') return { verdict: answer };
  const lastDryRun = answer.value;
  const refusal = lastDryRun?.refusal;
  return {
    ...(lastDryRun && { lastDryRun }),
    verdict: refusal ? { outcome: 'refused', ...refusal } : { outcome: 'found', value: undefined },
  };
}

/** The parts to launch from; parts that could not be looked up keep their last value. */
function mergeParts(
  parts: NodeClassParts,
  last: NodeClassResolution | undefined,
): Pick<NodeClassResolution, keyof NodeClassParts> {
  const profile = valueOrPrevious(parts.instanceProfile, last?.instanceProfile);
  const placementGroup = valueOrPrevious(parts.placementGroup, last?.placementGroup);
  const reserved = valueOrPrevious(parts.reservations, last?.reservations);
  return {
    subnets: valueOrPrevious(parts.subnets, last?.subnets) ?? [],
    securityGroups: valueOrPrevious(parts.securityGroups, last?.securityGroups) ?? [],
    images: valueOrPrevious(parts.images, last?.images) ?? [],
    ...(profile !== undefined && { instanceProfile: profile }),
    ...(reserved && { reservations: reserved }),
    ...(placementGroup && { placementGroup }),
  };
}

/** Unknown does not mean gone. */
function valueOrPrevious<T>(part: DiscoveryResult<T>, before: T | undefined): T | undefined {
  if (part.outcome === 'found') return part.value;
  return part.outcome === 'unknown' ? before : undefined;
}

/** Permissions change seldom, and each dry run makes three throttled requests. */
const VALID_FOR_MS = 30 * MINUTE_MS;

/** Facts that a dry run depends on besides the class. */
interface DryRunPorts extends Pick<NodeClassResources, 'dryRunLaunch'> {
  readonly pools?: ClassPorts['pools'];
}

/**
 * Checks by an EC2 dry run whether nodes of a class may be launched. The last result is reused
 * until something changes or it expires; adding any annotation forces a new one.
 *
 * @param lastRecord - the last result
 * @returns undefined if dry runs are off
 * @throws if EC2 gives no verdict
 */
async function dryRunNodeClass(
  { dryRunLaunch, pools }: DryRunPorts,
  resolved: ResolvedNodeClass,
  annotations: Labels,
  lastRecord: DryRunRecord | undefined,
  now: EpochMs,
): Promise<DryRunRecord | undefined> {
  if (!dryRunLaunch) return undefined;
  const tenancy = findDryRunTenancy((await pools?.()) ?? [], resolved.name);
  const of = hashDependencies(resolved, annotations, tenancy);
  if (lastRecord && lastRecord.of === of && now - lastRecord.at < VALID_FOR_MS) return lastRecord;
  const verdict = await dryRunLaunch(resolved, tenancy);
  if (verdict.outcome === 'allowed') return { of, at: now };
  const { reason, message } = verdict;
  return { of, at: now, refusal: { reason, message } };
}

const hashDependencies = (resolved: ResolvedNodeClass, annotations: Labels, tenancy: Tenancy): string =>
  staticHash({
    // As text, so that an empty field differs from a missing one.
    spec: canonicalText(resolved.written.spec),
    annotations,
    tenancy,
    subnets: resolved.subnets.map(({ id }) => id),
    securityGroups: resolved.securityGroups.map(({ id }) => id),
    images: resolved.images.map(({ id }) => id),
    instanceProfile: resolved.instanceProfile,
  });
