import type { OwnershipLeases } from '../../../shared/memory/ownership.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import type { EpochMs } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import type { SimInstance } from '../../../shared/simulation/cloud/instances.ts';
import { terminatePod } from '../../../shared/simulation/control-plane/api-server.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import type { Incident } from '../model/history.ts';
import { listRows, type RowPorts, toRowKey } from '../runtime/unreadable-rows.ts';
import { happenToNode } from './node-incidents.ts';
import { takeCluster } from './owner-incident.ts';
import { isLive, type Surroundings } from './surroundings.ts';

export interface IncidentParts {
  readonly open: OpenWorld;
  readonly surroundings: Surroundings;
  readonly leases: OwnershipLeases;
  readonly rows: RowPorts;
  /** Nodes of other tools, which users leave alone. */
  readonly foreignNodes: ReadonlySet<string>;
  /** Sends the hint that the webhook would send. */
  readonly hint: (hint: Hint) => void;
  /** Ends all invocations, as for a restoration, and sets all rows back. */
  readonly setTableBack: (moment: EpochMs) => void;
}

export function happen(parts: IncidentParts, incident: Incident): void {
  const { open, surroundings, leases } = parts;
  const { edited } = surroundings;
  const { api, world, ec2 } = open;
  const { clock } = world;
  const later = (ms: number, work: () => void): void => clock.schedule(clock.now() + ms, work);

  switch (incident.kind) {
    case 'scale': {
      const { workload: name, replicas } = incident;
      const kinds = ['Deployment', 'StatefulSet'] as const;
      const kind = kinds.find((one) => api.workloads.get(`${one} default/${name}`));
      if (kind) world.userActions.scale({ kind, namespace: 'default', name }, replicas);
      return;
    }
    case 'delete-node':
    case 'remove-node':
    case 'taint-node':
    case 'hold-node':
    case 'flap-node':
    case 'second-node':
    case 'unhealthy-node':
    case 'strip-labels': {
      const node = pickNode(parts, incident.pick);
      if (node) happenToNode(open, node, incident);
      return;
    }
    case 'delete-claim': {
      const claim = pick(api.nodeClaims.list(), incident.pick);
      if (!claim) return;
      surroundings.deletedClaims.set(claim.name, clock.now());
      parts.hint({ topic: 'claim', claim: claim.name });
      return;
    }
    case 'terminate-instance': {
      const instance = pickInstance(parts, incident.pick);
      if (instance) ec2.reclaim(instance.providerId);
      return;
    }
    case 'interrupt': {
      const instance = pickInstance(parts, incident.pick);
      const notice = incident.isRebalance ? 'rebalance-recommendation' : 'spot-interruption';
      if (instance) world.userActions.interrupt(instance.claim.name, notice);
      return;
    }
    case 'delete-pod': {
      const pod = pick(
        api.pods.list().filter((one) => !isDaemon(one)),
        incident.pick,
      );
      const stored = pod && api.pods.get(podKey(pod));
      if (stored) terminatePod(api.pods, stored, clock.now(), stored.spec.terminationGracePeriodMs);
      return;
    }
    case 'shortage':
      world.userActions.exhaustCapacity(incident.of, incident.forMs);
      return;
    case 'refuse-launches': {
      const { pool, forMs, isUncertain } = incident;
      surroundings.refusals.set(pool, { until: clock.now() + forMs, isUncertain });
      return;
    }
    case 'spot-prices':
      world.userActions.multiplySpotPrices(incident.factor);
      return;
    case 'drift': {
      const { poolVersions } = edited;
      poolVersions.set(incident.pool, (poolVersions.get(incident.pool) ?? 0) + 1);
      return;
    }
    case 'spoil-row': {
      const { row, forMs } = incident;
      void listRows(parts.rows, row).then((names) => {
        const name = pick(names, incident.pick);
        if (name === undefined) return;
        surroundings.spoiltRows.add(toRowKey(row, name));
        later(forMs, () => surroundings.spoiltRows.delete(toRowKey(row, name)));
      });
      return;
    }
    case 'owner':
      takeCluster({ clock, leases, standBys: surroundings.standBys }, incident);
      return;
    case 'strip-claim': {
      const claim = pick(api.nodeClaims.list(), incident.pick);
      if (claim) api.nodeClaims.remove(claim.name);
      return;
    }
    case 'delete-pool':
      edited.deletedPools.set(incident.pool, clock.now() + incident.forMs);
      return;
    case 'edit-pool': {
      const { pool, edit, forMs } = incident;
      edited.poolEdits.set(pool, { edit, until: clock.now() + forMs });
      return;
    }
    case 'break-class': {
      const { isDeleted, forMs } = incident;
      edited.brokenClass = { isDeleted, until: clock.now() + forMs };
      return;
    }
    case 'deny-evictions':
      surroundings.deniedEvictions.set(incident.workload, clock.now() + incident.forMs);
      return;
    case 'interrupt-all':
      for (const { claim } of listInstances(parts)) world.userActions.interrupt(claim.name, 'spot-interruption');
      return;
    case 'set-table-back':
      parts.setTableBack(clock.now() - (incident.byMs ?? Number.POSITIVE_INFINITY));
      return;
  }
}

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

const pickNode = ({ open, foreignNodes }: IncidentParts, index: number): Node | undefined =>
  pick(
    open.api.nodes.list().filter(({ name }) => !foreignNodes.has(name)),
    index,
  );

const pickInstance = (parts: IncidentParts, index: number): SimInstance | undefined =>
  pick(listInstances(parts), index);

const listInstances = ({ open, surroundings }: IncidentParts): readonly SimInstance[] =>
  open.instances.list().filter((one) => isLive(one) && !surroundings.foreignInstances.has(one.providerId));
