import type { CapacityUsage } from '../../../ec2/node-class/free-capacity.ts';
import { PODS } from '../../../model/resources.ts';
import type { EpochMs } from '../../../model/time.ts';
import type { Clock } from '../../../ports/ports.ts';
import type { CapacityUsageStore } from '../../dynamodb/capacity-usage.ts';
import type { Log } from '../../log.ts';
import { createFleet, EMPTY_RESULT, type FleetDependencies, type FleetOrder } from './create-fleet.ts';
import type { FleetChoice } from './fleet-request.ts';
import type { FleetInstance, FleetOffering, FleetResult } from './fleet-response.ts';

export interface LaunchFromChoicesDependencies extends FleetDependencies {
  readonly clock: Clock;
  readonly capacityUsage: Pick<CapacityUsageStore, 'put'>;
  readonly log: Log;
}

/**
 * Launches instances from one choice after the other until there are `count`, or EC2 refuses for a
 * reason that another choice does not avoid. Records the used subnet addresses and reservation
 * slots: an estimate while the requests run, then what was really launched, so that parallel
 * launches subtract them.
 */
export async function launchFromChoices(
  dependencies: LaunchFromChoicesDependencies,
  order: FleetOrder,
  choices: readonly FleetChoice[],
  count: number,
): Promise<FleetResult> {
  if (choices.length === 0) return EMPTY_RESULT;
  const { clock } = dependencies;
  const estimate = estimateUsage(order, choices, count, clock.now());
  const recordingEstimate = recordUsage(dependencies, estimate);

  const instances: FleetInstance[] = [];
  const results: FleetResult[] = [];
  for (const choice of choices) {
    const remaining = count - instances.length;
    const result = await createFleet(dependencies, order, { ...choice, count: remaining });
    results.push(result);
    instances.push(...result.instances);
    if (instances.length >= count || result.refusals.length > 0) break;
  }
  const result = mergeResults(results, instances.length >= count);

  await recordingEstimate;
  await recordUsage(dependencies, measureUsage(order, result, clock.now()));
  return result;
}

/** The refusals of the last request count only while instances are missing. */
function mergeResults(results: readonly FleetResult[], isComplete: boolean): FleetResult {
  const last = results.at(-1);
  const refusals = isComplete ? [] : (last?.refusals ?? []);
  return {
    instances: results.flatMap(({ instances }) => instances),
    unavailable: results.flatMap(({ unavailable }) => unavailable),
    exhausted: results.flatMap(({ exhausted }) => exhausted),
    failures: results.flatMap(({ failures }) => failures),
    refusals,
    ...(refusals.length > 0 && last?.mayHaveLaunched && { mayHaveLaunched: true }),
  };
}

/**
 * Records used capacity, and only logs a failure: without the record a parallel launch may meet a full
 * subnet, but an error here would lose the result of CreateFleet and delay the launch by 40 s.
 */
async function recordUsage(
  { capacityUsage, log }: Pick<LaunchFromChoicesDependencies, 'capacityUsage' | 'log'>,
  usage: CapacityUsage,
): Promise<void> {
  try {
    await capacityUsage.put(usage);
  } catch (error) {
    const fields = { launch: usage.launch, error: String(error) };
    log({ level: 'warn', message: 'what a launch takes is not counted', fields });
  }
}

/**
 * Estimates the usage before EC2 has selected the offerings: in each zone, the addresses of the
 * type that runs the fewest pods.
 */
function estimateUsage(order: FleetOrder, choices: readonly FleetChoice[], count: number, at: EpochMs): CapacityUsage {
  const offered = choices.flatMap(({ offerings }) => offerings);
  const zones = new Set(offered.map(({ zone }) => zone));
  const addresses = [...zones].flatMap((zone) => {
    const fewestPods = Math.min(...offered.filter((one) => one.zone === zone).map((one) => countPods(order, one)));
    return listSubnetIds(order, zone).map((id) => [id, fewestPods * count] as const);
  });
  return { launch: toLaunchKey(order), at, counts: Object.fromEntries(addresses), exhausted: [] };
}

/**
 * Counts what was launched: an address for each pod that a node may run, and a slot of its
 * reservation.
 */
function measureUsage(order: FleetOrder, { instances, exhausted }: FleetResult, at: EpochMs): CapacityUsage {
  const counts: Record<string, number> = {};
  const add = (id: string, count: number): void => {
    counts[id] = (counts[id] ?? 0) + count;
  };
  for (const instance of instances) {
    for (const id of listSubnetIds(order, instance.zone)) add(id, countPods(order, instance));
    if (instance.reservation) add(instance.reservation.id, 1);
  }
  return { launch: toLaunchKey(order), at, counts, exhausted };
}

/** Each attempt has its own record. */
const toLaunchKey = ({ request: { id, attempt } }: FleetOrder): string => `${id}-${attempt}`;

const countPods = ({ types }: FleetOrder, { instanceType }: FleetOffering): number =>
  types.get(instanceType)?.capacity[PODS] ?? 0;

/** A request names the first subnet of a zone. */
const listSubnetIds = ({ launchableClass }: FleetOrder, zone: string): readonly string[] =>
  launchableClass.resolved.subnets
    .filter((subnet) => subnet.zone === zone)
    .slice(0, 1)
    .map(({ id }) => id);
