import { ZONE_ID_LABEL } from '../../model/labels.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { type EpochMs, SECOND_MS } from '../../model/time.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Commands, NodeClaims, Stored } from '../../ports/records.ts';
import type { Decision, Journal, Ports, Telemetry } from '../../ports/ports.ts';
import type { UnavailableOfferings } from '../../ports/learned-state.ts';
import { tellingClaims } from '../support/claim-decorators.ts';
import { gaugeClaims, noteClaimChange } from './node-claim-metrics.ts';
import { gaugeCluster } from './cluster-metrics.ts';
import { measuredBackoffs } from './drift-figures.ts';
import { measuredCloud } from './instrument-cloud.ts';
import { type OfferingFigures, offeringFigures } from './offering-metrics.ts';

type Measured = Pick<
  Ports,
  | 'clock'
  | 'cluster'
  | 'cloud'
  | 'nodeClaims'
  | 'commands'
  | 'driftBackoffs'
  | 'journal'
  | 'unavailableOfferings'
>;

/** What one home has seen that a later figure rests on. */
interface Memory {
  observedAt: EpochMs;
  /** Reasons of disruptions, by decision. */
  readonly reasons: Map<string, string>;
  /** Of zones where claims have instances. */
  readonly zoneIds: Map<string, string>;
}

const MOST_REASONS = 1_000;

/**
 * The same ports, which note what goes through them: no controller has to. Wrapped around a home's
 * ports once.
 */
export function measuredPorts<P extends Measured>(ports: P, telemetry: Telemetry): P {
  const memory: Memory = {
    observedAt: ports.clock.now(),
    reasons: new Map(),
    zoneIds: new Map(),
  };
  const offered = offeringFigures(telemetry);
  return {
    ...ports,
    cluster: measuredCluster(ports, telemetry, memory),
    cloud: measuredCloud(ports, telemetry, { offered, zoneIds: memory.zoneIds }),
    unavailableOfferings: measuredShortages(ports, offered),
    nodeClaims: measuredClaims(ports, telemetry, memory),
    commands: measuredCommands(ports.commands, memory),
    journal: measuredJournal(ports, telemetry, memory),
    driftBackoffs: measuredBackoffs(ports, telemetry),
  };
}

function measuredCluster(
  { cluster, clock }: Measured,
  telemetry: Telemetry,
  memory: Memory,
): Cluster {
  return {
    ...cluster,
    async observe(wish) {
      try {
        const objects = await cluster.observe(wish);
        memory.observedAt = clock.now();
        gaugeCluster(telemetry, objects, memory.observedAt);
        return objects;
      } catch (error) {
        telemetry.gauge('karpenter_cluster_state_synced', [{ labels: {}, value: 0 }]);
        throw error;
      }
    },
    async evict(pod) {
      const outcome = await cluster.evict(pod);
      const code = CODES[outcome.outcome];
      telemetry.count('karpenter_pods_eviction_requests_total', { code });
      if (code === '200') telemetry.count('karpenter_pods_drained_total', { reason: 'evicted' });
      return outcome;
    },
    async deletePod(pod, gracePeriodMs) {
      await cluster.deletePod(pod, gracePeriodMs);
      telemetry.count('karpenter_pods_drained_total', { reason: 'deleted' });
    },
  };
}

/** As the eviction API answers. */
const CODES = { evicted: '200', gone: '404', refused: '429' } as const;

const measuredShortages = (
  { unavailableOfferings }: Measured,
  offered: OfferingFigures,
): UnavailableOfferings => ({
  ...unavailableOfferings,
  async list(now) {
    const unavailable = await unavailableOfferings.list(now);
    offered.dry(unavailable);
    return unavailable;
  },
});

function measuredClaims(
  { nodeClaims, clock }: Measured,
  telemetry: Telemetry,
  { reasons, zoneIds }: Memory,
): NodeClaims {
  const noteZone = ({ claim: { launch } }: Stored): void => {
    const id = launch?.labels[ZONE_ID_LABEL];
    if (launch && id !== undefined) zoneIds.set(launch.zone, id);
  };
  const telling = tellingClaims(nodeClaims, (before, after) =>
    noteClaimChange(telemetry, before, after, (id) => reasons.get(id)),
  );
  return {
    ...telling,
    async find(name) {
      const stored = await telling.find(name);
      if (stored) noteZone(stored);
      return stored;
    },
    async list() {
      const all = await telling.list();
      all.forEach(noteZone);
      const claims = all.map(({ claim }) => claim);
      gaugeClaims(telemetry, claims, clock.now());
      return all;
    },
  };
}

function measuredCommands(commands: Commands, { reasons }: Memory): Commands {
  const remember = ({ id, reason }: DisruptionCommand): void => {
    if (reasons.size >= MOST_REASONS) reasons.clear();
    reasons.set(id, reason.toLowerCase());
  };
  return {
    ...commands,
    async list() {
      const listed = await commands.list();
      listed.forEach(remember);
      return listed;
    },
    async add(command) {
      remember(command);
      await commands.add(command);
    },
  };
}

function measuredJournal(
  { journal, clock }: Measured,
  telemetry: Telemetry,
  memory: Memory,
): Journal {
  return {
    ...journal,
    async decided(decision) {
      const took = Math.max(clock.now() - memory.observedAt, 0) / SECOND_MS;
      noteDecision(telemetry, decision, took, memory);
      await journal.decided(decision);
    },
  };
}

function noteDecision(
  telemetry: Telemetry,
  decision: Decision,
  took: number,
  { reasons }: Memory,
): void {
  if (decision.kind === 'provisioning') {
    const pods = decision.plan.unplaced.reduce(
      (sum, { pods, waits }) => sum + (waits ? 0 : pods.length),
      0,
    );
    const name = 'karpenter_scheduler_unschedulable_pods_count';
    telemetry.gauge(name, [{ labels: {}, value: pods }]);
    telemetry.observe('karpenter_scheduler_scheduling_duration_seconds', {}, took);
    return;
  }
  telemetry.observe(
    'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
    {},
    took,
  );
  const { command, more = [] } = decision.plan;
  for (const one of command ? [command, ...more] : []) {
    const reason = one.reason.toLowerCase();
    reasons.set(one.id, reason);
    telemetry.count('karpenter_voluntary_disruption_decisions_total', {
      decision: one.replacements.length > 0 ? 'replace' : 'delete',
      reason,
    });
  }
}
