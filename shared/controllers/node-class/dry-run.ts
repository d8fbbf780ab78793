import { canonicalText, staticHash } from '../../api/static-hash.ts';
import { findDryRunTenancy } from '../../ec2/node-class/dry-run-tenancy.ts';
import type { Tenancy } from '../../ec2/node-class/launch-template/template-content.ts';
import type { Labels } from '../../model/labels.ts';
import type { DryRunRecord } from '../../model/nodes/resolved-node-class.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { NodeClassResources, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { ClassPorts } from '../../ports/ports.ts';

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
export async function dryRunNodeClass(
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
