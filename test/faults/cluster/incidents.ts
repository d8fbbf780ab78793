import type { OwnershipLeases } from '../../../shared/memory/ownership.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import type { Taint } from '../../../shared/model/requirements/taints.ts';
import { isSameTaint } from '../../../shared/model/requirements/taints.ts';
import { SECOND_MS } from '../../../shared/model/time.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { terminatePod } from '../../../shared/simulation/control-plane/api-server.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import type { Incident } from '../model/history.ts';
import { listRows, toRowKey } from '../runtime/unreadable-rows.ts';
import { isLive, type Surroundings } from './surroundings.ts';

export interface IncidentParts {
  readonly open: OpenWorld;
  readonly surroundings: Surroundings;
  readonly leases: OwnershipLeases;
  /** Nodes of other tools, which users leave alone. */
  readonly foreignNodes: ReadonlySet<string>;
  /** Sends the hint that the webhook would send. */
  readonly hint: (hint: Hint) => void;
}

const USER_TAINT: Taint = { key: 'example.com/maintenance', effect: 'NoSchedule' };
const OTHER_FINALIZER = 'example.com/backup';
const RENEWAL_MS = 10 * SECOND_MS;

export function happen(parts: IncidentParts, incident: Incident): void {
  const { open, surroundings, leases } = parts;
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
    case 'delete-node': {
      const node = pickNode(parts, incident.pick);
      if (node && node.deletionAt === undefined)
        putOrRemove(open, { ...node, deletionAt: clock.now() });
      return;
    }
    case 'remove-node': {
      const node = pickNode(parts, incident.pick);
      if (node) api.nodes.remove(node.name);
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
    case 'taint-node': {
      const node = pickNode(parts, incident.pick);
      if (!node) return;
      api.nodes.put(node.name, { ...node, taints: [...node.taints, USER_TAINT] });
      later(incident.forMs, () =>
        change(open, node.name, ({ taints }) => ({
          taints: taints.filter((taint) => !isSameTaint(taint, USER_TAINT)),
        })),
      );
      return;
    }
    case 'hold-node': {
      const node = pickNode(parts, incident.pick);
      if (!node) return;
      api.nodes.put(node.name, { ...node, finalizers: [...node.finalizers, OTHER_FINALIZER] });
      later(incident.forMs, () =>
        change(open, node.name, ({ finalizers }) => ({
          finalizers: finalizers.filter((finalizer) => finalizer !== OTHER_FINALIZER),
        })),
      );
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
      const { poolVersions } = surroundings;
      poolVersions.set(incident.pool, (poolVersions.get(incident.pool) ?? 0) + 1);
      return;
    }
    case 'spoil-row': {
      const { row, forMs } = incident;
      void listRows(world.ports, row).then((names) => {
        const name = pick(names, incident.pick);
        if (name === undefined) return;
        surroundings.spoiltRows.add(toRowKey(row, name));
        later(forMs, () => surroundings.spoiltRows.delete(toRowKey(row, name)));
      });
      return;
    }
    case 'owner':
      surroundings.standBys.push({ from: clock.now(), until: clock.now() + incident.forMs });
      if (incident.owner === 'karpenter') renewKarpenter(clock.now() + incident.forMs);
      else own(clock.now() + incident.forMs);
      return;
  }

  function renewKarpenter(until: number): void {
    if (clock.now() > until) return;
    leases.karpenterRenewedAt = clock.now();
    later(RENEWAL_MS, () => renewKarpenter(until));
  }

  /**
   * Another stack takes the lease over, renews it, and gives it back at the end. If two incidents
   * overlap, the later end counts.
   */
  function own(until: number): void {
    const isOver = clock.now() > until;
    if (isOver && surroundings.standBys.some((one) => clock.now() <= one.until)) return;
    const { own: lease } = leases;
    leases.own = {
      holder: isOver ? '' : 'other/controller',
      acquiredAt: lease?.holder === 'other/controller' ? lease.acquiredAt : clock.now(),
      renewedAt: clock.now(),
      durationMs: 30 * SECOND_MS,
      transitions: (lease?.transitions ?? 0) + 1,
    };
    if (!isOver) later(RENEWAL_MS, () => own(until));
  }
}

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

const pickNode = ({ open, foreignNodes }: IncidentParts, index: number): Node | undefined =>
  pick(
    open.api.nodes.list().filter(({ name }) => !foreignNodes.has(name)),
    index,
  );

const pickInstance = ({ open, surroundings }: IncidentParts, index: number) =>
  pick(
    open.instances
      .list()
      .filter((one) => isLive(one) && !surroundings.foreignInstances.has(one.providerId)),
    index,
  );

function change(open: OpenWorld, name: string, edit: (node: Node) => Partial<Node>): void {
  const node = open.api.nodes.get(name);
  if (node) putOrRemove(open, { ...node, ...edit(node) });
}

function putOrRemove({ api }: OpenWorld, node: Node): void {
  if (node.deletionAt !== undefined && node.finalizers.length === 0) api.nodes.remove(node.name);
  else api.nodes.put(node.name, node);
}

const CLOUD_CONTROLLER_MS = 10 * SECOND_MS;

/** Deletes the Nodes of instances that are gone, as the cloud controller manager does. */
export function startCloudController({ api, instances, world }: OpenWorld): void {
  instances.watch(({ before, after }) => {
    if (after || !before) return;
    world.clock.schedule(world.clock.now() + CLOUD_CONTROLLER_MS, () => {
      const node = api.nodes.list().find(({ providerId }) => providerId === before.providerId);
      if (!node || node.deletionAt !== undefined) return;
      const deleted = { ...node, deletionAt: world.clock.now() };
      if (node.finalizers.length === 0) api.nodes.remove(node.name);
      else api.nodes.put(node.name, deleted);
    });
  });
}
