import { canonicalText } from '../static-hash.ts';
import type { ReportMessage } from './message.ts';
import type { ConvertedPool } from './pool-parts.ts';
import { type Fields, toFields } from './written.ts';

export interface PlacedPool extends ConvertedPool {
  readonly name: string;
  readonly report: ReportMessage;
}

export interface PlacedClass {
  readonly name: string;
  readonly nodeClass: Fields;
}

export interface Distribution {
  /** Each pool with its current reference, by the pool as it was converted. */
  readonly pools: ReadonlyMap<Fields, Fields>;
  /** Each class and the copies that were split off, by the class as it was converted. */
  readonly classes: ReadonlyMap<Fields, readonly Fields[]>;
}

/**
 * Moves kubelet settings from pools, where they were before v1, to NodeClasses. Pools that share a
 * class and agree write their settings there; each different set of settings gets a copy of the
 * class.
 */
export function distributeKubelets(pools: readonly PlacedPool[], classes: readonly PlacedClass[]): Distribution {
  const classByName = new Map(classes.map(({ name, nodeClass }) => [name, nodeClass]));
  const groups = [...Map.groupBy(pools, ({ className }) => className)].map(([name, users]) =>
    ofClass(name, classByName.get(name), users),
  );
  return {
    pools: new Map(groups.flatMap((group) => group.pools)),
    classes: new Map(groups.flatMap(({ nodeClass, classes: made }) => (nodeClass ? [[nodeClass, made]] : []))),
  };
}

interface Group {
  readonly nodeClass: Fields | undefined;
  readonly pools: readonly (readonly [converted: Fields, pool: Fields])[];
  readonly classes: readonly Fields[];
}

function ofClass(name: string, nodeClass: Fields | undefined, users: readonly PlacedPool[]): Group {
  if (!nodeClass) return { nodeClass, pools: users.map(withoutClass), classes: [] };
  const sets = [...Map.groupBy(users, ({ kubelet = {} }) => canonicalText(kubelet)).values()]
    // The settings that the class has already keep its name.
    .toSorted((a, b) => Number(b.some(isCurrent)) - Number(a.some(isCurrent)));
  const made = sets.map((sharing, index) => {
    const [first] = sharing;
    const className = index === 0 || !first ? name : `${name}-${first.name}`;
    return { sharing, className, nodeClass: withKubelet(nodeClass, className, first?.kubelet) };
  });
  return {
    nodeClass,
    classes: made.map((one) => one.nodeClass),
    pools: made.flatMap(({ sharing, className }) =>
      sharing.map((user) => [user.pool, withClass(user, name, className)] as const),
    ),
  };
}

/** True for a pool of v1 whose kubelet settings are in its class. */
const isCurrent = ({ kubelet, isCurrent: isV1 = false }: ConvertedPool): boolean => isV1 && kubelet === undefined;

function withoutClass({ pool, kubelet, className, report }: PlacedPool): readonly [Fields, Fields] {
  if (kubelet) {
    report(
      'W-13',
      'spec.template.spec.kubelet',
      `EC2NodeClass ${className} is not in the input; add to its spec: ${JSON.stringify({ kubelet })}`,
    );
  }
  return [pool, pool];
}

function withKubelet(nodeClass: Fields, name: string, kubelet: Fields | undefined): Fields {
  const { metadata, spec } = nodeClass;
  return {
    ...nodeClass,
    metadata: { ...toFields(metadata), name },
    spec: { ...toFields(spec), ...(kubelet && { kubelet }) },
  };
}

function withClass({ pool, report }: PlacedPool, from: string, to: string): Fields {
  if (from === to) return pool;
  report(
    'W-12',
    'spec.template.spec.nodeClassRef.name',
    `${to} in place of ${from}: pools of that class have different kubelet settings; their nodes drift`,
  );
  const spec = toFields(pool.spec);
  const template = toFields(spec.template);
  const nodeSpec = toFields(template.spec);
  const nodeClassRef = { ...toFields(nodeSpec.nodeClassRef), name: to };
  return {
    ...pool,
    spec: { ...spec, template: { ...template, spec: { ...nodeSpec, nodeClassRef } } },
  };
}
