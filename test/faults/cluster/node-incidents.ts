import { HOSTNAME_LABEL, INITIALIZED_LABEL, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { Node, NodeTrouble } from '../../../shared/model/nodes/node.ts';
import { isSameTaint, type Taint, UNREGISTERED_TAINT } from '../../../shared/model/requirements/taints.ts';
import { type EpochMs, SECOND_MS } from '../../../shared/model/time.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import type { Incident, NodeFault } from '../model/history.ts';
import { STARTUP_TAINT } from './create-cluster.ts';
import { isLive } from './surroundings.ts';

const USER_TAINT: Taint = { key: 'example.com/maintenance', effect: 'NoSchedule' };
const OTHER_FINALIZER = 'example.com/backup';
const FLAP_MS = 20 * SECOND_MS;
const AGENT_MS = 5 * SECOND_MS;

const TROUBLES: Readonly<Record<NodeFault, Pick<NodeTrouble, 'condition' | 'reason'>>> = {
  'gpu-reset': { condition: 'AcceleratedHardwareReady', reason: 'NvidiaXID46Error' },
  'gpu-broken': { condition: 'AcceleratedHardwareReady', reason: 'NvidiaXID79Error' },
  storage: { condition: 'StorageReady' },
};

const isStartupTaint = ({ key }: Taint): boolean => key === STARTUP_TAINT.key;

export type NodeIncident = Extract<
  Incident,
  {
    kind:
      | 'delete-node'
      | 'remove-node'
      | 'taint-node'
      | 'hold-node'
      | 'flap-node'
      | 'second-node'
      | 'strip-labels'
      | 'unhealthy-node';
  }
>;

/** Users, kubelets and other controllers change a Node. */
export function happenToNode(open: OpenWorld, node: Node, incident: NodeIncident): void {
  const { api, world } = open;
  const { clock } = world;
  const later = (ms: number, work: () => void): void => clock.schedule(clock.now() + ms, work);

  switch (incident.kind) {
    case 'delete-node':
      if (node.deletionAt === undefined) putOrRemove(open, { ...node, deletionAt: clock.now() });
      return;
    case 'remove-node':
      api.nodes.remove(node.name);
      return;
    case 'taint-node':
      api.nodes.put(node.name, { ...node, taints: [...node.taints, USER_TAINT] });
      later(incident.forMs, () =>
        change(open, node.name, ({ taints }) => ({
          taints: taints.filter((taint) => !isSameTaint(taint, USER_TAINT)),
        })),
      );
      return;
    case 'hold-node':
      api.nodes.put(node.name, { ...node, finalizers: [...node.finalizers, OTHER_FINALIZER] });
      later(incident.forMs, () =>
        change(open, node.name, ({ finalizers }) => ({
          finalizers: finalizers.filter((finalizer) => finalizer !== OTHER_FINALIZER),
        })),
      );
      return;
    case 'flap-node':
      flap(open, node.name, { isReady: false, until: clock.now() + incident.forMs });
      return;
    case 'second-node':
      registerAgain(open, node);
      return;
    case 'unhealthy-node': {
      const trouble = { ...TROUBLES[incident.fault], status: 'False', since: clock.now() } as const;
      change(open, node.name, ({ troubles = [] }) => ({ troubles: [...troubles, trouble] }));
      // The instance may have got a second Node.
      later(incident.forMs, () => {
        for (const { name, troubles = [] } of api.nodes.list()) {
          if (!troubles.includes(trouble)) continue;
          change(open, name, () => ({ troubles: troubles.filter((one) => one !== trouble) }));
        }
      });
      return;
    }
    case 'strip-labels': {
      const labels = Object.entries(node.labels).filter(([key]) => !key.startsWith('karpenter.'));
      api.nodes.put(node.name, { ...node, labels: Object.fromEntries(labels) });
      return;
    }
  }
}

/** The kubelet reports again at the end, if its instance still runs. */
function flap(
  open: OpenWorld,
  name: string,
  { isReady, until }: { readonly isReady: boolean; readonly until: EpochMs },
): void {
  const { clock } = open.world;
  const instance = open.instances.get(open.api.nodes.get(name)?.providerId ?? '');
  if (!instance || !isLive(instance)) return;
  const isOver = clock.now() >= until;
  change(open, name, () => ({ ready: isReady || isOver }));
  if (!isOver) clock.schedule(clock.now() + FLAP_MS, () => flap(open, name, { isReady: !isReady, until }));
}

/** The kubelet of the instance registers under another name: its Node has what the bootstrap sets. */
function registerAgain(open: OpenWorld, node: Node): void {
  const name = `${node.name}-again`;
  const { [REGISTERED_LABEL]: _, [INITIALIZED_LABEL]: __, ...labels } = node.labels;
  const instance = open.instances.get(node.providerId ?? '');
  if (!instance || !isLive(instance) || open.api.nodes.get(name)) return;
  if (node.deletionAt !== undefined) return;
  open.api.nodes.put(name, {
    ...node,
    ...{ name, uid: `${node.uid}-again`, createdAt: open.world.clock.now(), ready: true },
    finalizers: [],
    labels: { ...labels, [HOSTNAME_LABEL]: name },
    taints: [UNREGISTERED_TAINT],
  });
  // The network agent of the instance starts on this Node as well.
  open.api.nodes.watch(({ after }) => {
    if (after?.name !== name || !after.taints.some(isStartupTaint)) return;
    open.world.clock.schedule(open.world.clock.now() + AGENT_MS, () =>
      change(open, name, ({ taints }) => ({
        taints: taints.filter((one) => !isStartupTaint(one)),
      })),
    );
  });
  open.instances.watch(({ before, after }) => {
    if (before?.providerId === node.providerId && !(after && isLive(after)))
      open.world.clock.schedule(open.world.clock.now(), () => change(open, name, () => ({ ready: false })));
  });
}

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
export function startCloudController(open: OpenWorld): void {
  const { clock } = open.world;
  open.instances.watch(({ before, after }) => {
    if (after || !before) return;
    clock.schedule(clock.now() + CLOUD_CONTROLLER_MS, () => {
      for (const node of open.api.nodes.list())
        if (node.providerId === before.providerId && node.deletionAt === undefined)
          putOrRemove(open, { ...node, deletionAt: clock.now() });
    });
  });
}
