import { readEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import { computeRolloutCondition } from '../../disruption/rollout/rollout-condition.ts';
import { computeAccessCondition, nodeOsOf } from '../../ec2/node-class/access-condition.ts';
import { computeUnreadableConditions } from '../../ec2/node-class/conditions.ts';
import { ProfilePropagationError } from '../../model/errors.ts';
import type { NodeAccess } from '../../model/nodes/node-access.ts';
import { isReady, type NodeClassCondition, type NodeClassResolution } from '../../model/nodes/resolved-node-class.ts';
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { PortsOf } from '../../ports/hint-senders.ts';
import type { NodeClassObject, NodeClassStatus, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { ClassPorts } from '../../ports/ports.ts';
import { toNodeClassState } from '../disruption/drift.ts';
import { writeUnlessStale } from '../support/claim-writes.ts';
import { isOwner } from '../support/ownership.ts';
import { computeMissingMarks, finalizeNodeClass } from './finalizer.ts';
import { resolveNodeClass } from './resolve.ts';

type NodeClassPorts = Pick<
  PortsOf<'nodeClass'>,
  'clock' | 'nodeClaims' | 'rollouts' | 'queue' | 'ownership' | 'decisionLog'
> & {
  readonly classes: ClassPorts;
};

/** Resolutions younger than this are reused, because hints come in bursts. */
const FRESH_FOR_MS = MINUTE_MS;
/** IAM tells EC2 about a new instance profile within about ten seconds. */
const LOOK_AGAIN_AFTER_MS = 5 * SECOND_MS;
/** After this, the delay is an error, and the hint is retried less often. */
const MAX_PROPAGATION_MS = 2 * MINUTE_MS;

/**
 * Resolves every EC2NodeClass, writes its status and stores the result for launches; finalizes
 * classes that are being deleted. A failing class does not stop the others.
 *
 * @throws AggregateError - some class could not be resolved, or not completely; the hint is retried
 */
export async function reconcileNodeClasses(ports: NodeClassPorts): Promise<void> {
  if (!(await isOwner(ports))) return;
  const { classes, clock } = ports;
  const objects = await classes.objects.list();
  const results = await Promise.allSettled([
    ...objects.map((object) => reconcileNodeClass(ports, object)),
    removeMissing(classes, objects),
    classes.resources.sweepTemplates(clock.now()),
  ]);
  results.push(...(await Promise.allSettled([sweepProfiles(classes, clock.now())])));
  const errors = results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length === 0) return;
  // Logs show only the message.
  const causes = errors.map(String).join('; ');
  throw new AggregateError(errors, `EC2NodeClasses not resolved in full: ${causes}`);
}

async function reconcileNodeClass(ports: NodeClassPorts, object: NodeClassObject): Promise<void> {
  const isCurrent = await writeUnlessStale(() =>
    object.isDeleting ? finalizeNodeClass(ports, object) : resolveAndReport(ports, object),
  );
  // The object was edited meanwhile: resolve it again.
  if (!isCurrent) await ports.queue.send({ topic: 'class' });
}

async function resolveAndReport(ports: NodeClassPorts, object: NodeClassObject): Promise<void> {
  const { clock, classes, queue } = ports;
  const now = clock.now();
  const before = await classes.records.find(object.name);
  if (before && hasCurrentConditions(object) && isFresh(before, object, now)) return;

  const facts = await classes.facts();
  const marks = computeMissingMarks(object, facts.certificateAuthority);
  const marked = marks ? await classes.objects.change(object, marks) : object;
  if (marked.spec.outcome === 'unreadable') return rejectUnreadable(classes, marked, marked.spec.why, now);

  const { written } = marked.spec;
  const readable = { ...marked, written };
  const parts = { ...classes, facts: async () => facts };
  const attempt = await resolveNodeClass(parts, readable, now, before);
  const { failures } = attempt;
  const since = findPropagationStart(failures, before, attempt.resolution);
  const resolution = {
    ...attempt.resolution,
    ...(since !== undefined && { profileUnknownSince: since }),
  };
  // Store the record before the status: launches read it, and pods may be waiting for it.
  await classes.records.save({ ...resolution, written });
  const status = await withRolloutCondition(ports, { ...resolution, written });
  const access = await findAccessCondition(classes.resources, { ...resolution, written });
  await classes.objects.writeStatus(
    marked,
    { ...status, conditions: [...status.conditions, ...(access ? [access] : [])] },
    now,
  );
  if (isReady(resolution) && !isReady(object)) await queue.send({ topic: 'plan' });
  if (failures.length === 0) return;
  if (since !== undefined && now - since < MAX_PROPAGATION_MS) {
    return queue.send({ topic: 'class' }, now + LOOK_AGAIN_AFTER_MS);
  }
  const causes = failures.map(({ message }) => message).join('; ');
  throw new AggregateError(failures, `EC2NodeClass ${object.name}: ${causes}`);
}

/**
 * Returns since when the only thing that a class waits for is that EC2 knows its new instance profile.
 */
function findPropagationStart(
  failures: readonly Error[],
  before: ResolvedNodeClass | undefined,
  { uid, resolvedAt }: NodeClassResolution,
): EpochMs | undefined {
  const isWaiting = failures.length > 0 && failures.every((error) => error instanceof ProfilePropagationError);
  if (!isWaiting) return undefined;
  return (before?.uid === uid ? before.profileUnknownSince : undefined) ?? resolvedAt;
}

/** The condition is shown only; the stored record leaves it out. */
async function withRolloutCondition(
  { nodeClaims, rollouts }: Pick<NodeClassPorts, 'nodeClaims' | 'rollouts'>,
  resolved: ResolvedNodeClass,
): Promise<NodeClassStatus> {
  const [stored, stopped] = await Promise.all([nodeClaims.list({ isEventual: true }), rollouts.list()]);
  const state = toNodeClassState(resolved, stopped);
  if (!state) return resolved;
  const claims = stored.records.map(({ claim }) => claim);
  return {
    ...resolved,
    conditions: [...resolved.conditions, computeRolloutCondition(state, claims)],
  };
}

/** Computes the NodeAccessReady condition, which is shown only; `undefined` if nothing is known. */
async function findAccessCondition(
  { nodeAccess }: ClassPorts['resources'],
  { name, instanceProfile, written, cluster }: ResolvedNodeClass,
): Promise<NodeClassCondition | undefined> {
  const reading = readEC2NodeClass(name, written);
  const os = reading.outcome === 'read' ? nodeOsOf(reading.value.amiFamily) : undefined;
  if (!nodeAccess || !os || instanceProfile === undefined) return undefined;
  const access = await askForAccess(() => nodeAccess(instanceProfile, os));
  return computeAccessCondition(access, os, cluster.name);
}

/** The condition is informational, so an error is shown in it and fails nothing else. */
async function askForAccess(ask: () => Promise<NodeAccess>): Promise<NodeAccess> {
  try {
    return await ask();
  } catch (error) {
    return { outcome: 'unknown', why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Removes the record, so that nothing is launched from an earlier version of an unreadable class.
 */
async function rejectUnreadable(
  { records, objects }: ClassPorts,
  object: NodeClassObject,
  why: string,
  now: EpochMs,
): Promise<void> {
  await records.remove(object.name);
  const conditions = computeUnreadableConditions(why);
  await objects.writeStatus(object, { ...EMPTY_RESOLUTION, conditions }, now);
}

const EMPTY_RESOLUTION = { subnets: [], securityGroups: [], images: [] };

const isFresh = (before: ResolvedNodeClass, { uid, generation }: NodeClassObject, now: EpochMs): boolean => {
  const freshForMs = before.profileUnknownSince === undefined ? FRESH_FOR_MS : LOOK_AGAIN_AFTER_MS;
  return before.uid === uid && before.generation === generation && before.resolvedAt > now - freshForMs;
};

/** True if the conditions are about the object's current generation. */
const hasCurrentConditions = ({ generation, observedGeneration }: NodeClassObject): boolean =>
  generation === observedGeneration;

/** Runs after all classes: their records tell which instance profiles are in use. */
async function sweepProfiles({ records, resources }: ClassPorts, now: EpochMs): Promise<void> {
  const current = (await records.list()).flatMap(({ instanceProfile }) => instanceProfile ?? []);
  await resources.sweepProfiles(new Set(current), now);
}

/**
 * Removes records of classes whose object is gone, for example because a finalizer was removed by
 * force.
 */
async function removeMissing(
  { records }: Pick<ClassPorts, 'records'>,
  objects: readonly NodeClassObject[],
): Promise<void> {
  const names = new Set(objects.map(({ name }) => name));
  const missing = (await records.list()).filter(({ name }) => !names.has(name));
  await Promise.all(missing.map(({ name }) => records.remove(name)));
}
