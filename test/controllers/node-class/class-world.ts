import { reconcileNodeClasses } from '../../../shared/controllers/node-class/reconcile.ts';
import { memoryNodeClasses } from '../../../shared/memory/records.ts';
import { StaleObjectError } from '../../../shared/model/errors.ts';
import type { NodeSize } from '../../../shared/model/nodes/node-class.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { NodeClassCondition } from '../../../shared/model/nodes/resolved-node-class.ts';
import type { NodeClassObject, NodeClassResources, NodeClassStatus } from '../../../shared/ports/node-classes.ts';
import type { ClassPorts } from '../../../shared/ports/ports.ts';
import { aClassObject, anImage, aResolvedClass, CLUSTER_FACTS } from '../../support/node-classes.ts';
import { aFakeWorld, type FakeWorld } from '../support/fake-ports.ts';

export const FINALIZER = 'karpenter.k8s.aws/termination';

export interface ClassWorld extends FakeWorld {
  readonly classes: ClassPorts;
  object: NodeClassObject | undefined;
  /** Overrides the answers of the AWS account, which has one of everything. */
  resources: Partial<NodeClassResources>;
  facts: typeof CLUSTER_FACTS;
  pools: readonly NodePool[];
  /** `undefined`: the gate NodeClassCEL is off. */
  nodeSizes: readonly NodeSize[] | undefined;
  readonly released: string[];
  looks: number;
  /** Instance profiles that the last sweep kept. */
  current: ReadonlySet<string>;
}

/** One class, in an account that has everything it selects. */
export function aClassWorld(object: Partial<NodeClassObject> = {}): ClassWorld {
  const { subnets, securityGroups } = aResolvedClass();
  const released: string[] = [];

  const change = (next: Partial<NodeClassObject>): NodeClassObject => {
    if (!world.object) throw new StaleObjectError('EC2NodeClass default');
    const resourceVersion = String(Number(world.object.resourceVersion) + 1);
    const changed = { ...world.object, ...next, resourceVersion };
    const isGone = changed.isDeleting && changed.finalizers.length === 0;
    world.object = isGone ? undefined : changed;
    return changed;
  };
  const mustBeCurrent = ({ resourceVersion }: NodeClassObject): void => {
    if (resourceVersion !== world.object?.resourceVersion) {
      throw new StaleObjectError('EC2NodeClass default');
    }
  };

  const world: ClassWorld = Object.assign(aFakeWorld(), {
    object: aClassObject(object),
    resources: {},
    facts: CLUSTER_FACTS,
    pools: [],
    nodeSizes: undefined,
    released,
    looks: 0,
    current: new Set<string>(),
    classes: {
      records: memoryNodeClasses(),
      objects: {
        list: async () => (world.object ? [world.object] : []),
        async change(observed: NodeClassObject, next: Partial<NodeClassObject>) {
          mustBeCurrent(observed);
          return change({ ...next, annotations: { ...observed.annotations, ...next.annotations } });
        },
        async writeStatus(observed: NodeClassObject, status: NodeClassStatus, now: number) {
          mustBeCurrent(observed);
          const conditions = status.conditions.map((one) => ({ ...one, since: now }));
          change({ conditions, observedGeneration: observed.generation });
        },
      },
      resources: {
        subnets: async () => {
          world.looks += 1;
          return subnets;
        },
        securityGroups: async () => securityGroups,
        images: async () => [anImage()],
        reservations: async () => [],
        placementGroup: async () => undefined,
        instanceProfile: async () => 'demo-profile',
        sweepTemplates: async () => {},
        sweepProfiles: async (current: ReadonlySet<string>) => {
          world.current = current;
        },
        release: async ({ name }: { name: string }) => void released.push(name),
      },
      facts: async () => world.facts,
    },
  });
  return world;
}

export function reconcile({ ports, classes, resources, nodeSizes, pools }: ClassWorld): Promise<void> {
  return reconcileNodeClasses({
    ...ports,
    classes: {
      ...classes,
      resources: { ...classes.resources, ...resources },
      pools: async () => pools,
      ...(nodeSizes && { nodeSizes: () => nodeSizes }),
    },
  });
}

export const recordOf = (world: ClassWorld) => world.classes.records.find('default');

export const conditionOf = async (world: ClassWorld, type: NodeClassCondition['type']): Promise<string | undefined> => {
  const result = (await recordOf(world))?.conditions.find((one) => one.type === type);
  return result && `${result.status}/${result.reason}`;
};
