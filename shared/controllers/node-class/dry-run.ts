import { canonicalText, staticHash } from '../../api/static-hash.ts';
import { findDryRunTenancy } from '../../ec2/node-class/dry-run-tenancy.ts';
import type { Tenancy } from '../../ec2/node-class/launch-template/template-content.ts';
import type { Labels } from '../../model/labels.ts';
import type { LaunchTrial } from '../../model/nodes/resolved-node-class.ts';
import { type EpochMs, MINUTE_MS } from '../../model/time.ts';
import type { NodeClassResources, ResolvedNodeClass } from '../../ports/node-classes.ts';
import type { ClassPorts } from '../../ports/ports.ts';

/** Rights change seldom, and each trial makes three requests that EC2 counts. */
const VALID_FOR_MS = 30 * MINUTE_MS;

/** What a launch may depend on beside the class. */
interface DryRunPorts extends Pick<NodeClassResources, 'tryLaunch'> {
  readonly pools?: ClassPorts['pools'];
}

/**
 * Whether nodes of a class may be launched, asked again only if something has changed or time has
 * passed. An annotation that somebody adds makes it be asked at once.
 *
 * @param before - what came of it the last time
 * @returns absent: this home does not ask
 * @throws where EC2 gives no verdict
 */
export async function dryRunNodeClass(
  { tryLaunch, pools }: DryRunPorts,
  resolved: ResolvedNodeClass,
  annotations: Labels,
  before: LaunchTrial | undefined,
  now: EpochMs,
): Promise<LaunchTrial | undefined> {
  if (!tryLaunch) return undefined;
  const tenancy = findDryRunTenancy((await pools?.()) ?? [], resolved.name);
  const of = hashDependencies(resolved, annotations, tenancy);
  if (before && before.of === of && now - before.at < VALID_FOR_MS) return before;
  const verdict = await tryLaunch(resolved, tenancy);
  if (verdict.outcome === 'allowed') return { of, at: now };
  const { reason, message } = verdict;
  return { of, at: now, refusal: { reason, message } };
}

const hashDependencies = (
  resolved: ResolvedNodeClass,
  annotations: Labels,
  tenancy: Tenancy,
): string =>
  staticHash({
    // As one text: a field that is empty is not one that is left out.
    spec: canonicalText(resolved.written.spec),
    annotations,
    // Shared hardware is what was always asked for.
    tenancy: tenancy === 'dedicated' ? tenancy : undefined,
    subnets: resolved.subnets.map(({ id }) => id),
    securityGroups: resolved.securityGroups.map(({ id }) => id),
    images: resolved.images.map(({ id }) => id),
    instanceProfile: resolved.instanceProfile,
  });
