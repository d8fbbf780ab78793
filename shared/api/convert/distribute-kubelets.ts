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
  /** Pools by name, with their current references. */
  readonly pools: ReadonlyMap<string, Fields>;
  /** Classes by their old name: the class itself and the copies that were split off. */
  readonly classes: ReadonlyMap<string, readonly Fields[]>;
}

/**
 * Moves kubelet settings from pools, where they were before v1, to NodeClasses. Pools that share a
 * class and agree write their settings there; each different set of settings gets a copy of the
 * class.
 */
export function distributeKubelets(
  pools: readonly PlacedPool[],
  classes: readonly PlacedClass[],
): Distribution {
  const classByName = new Map(classes.map(({ name, nodeClass }) => [name, nodeClass]));
  const groups = [...Map.groupBy(pools, ({ className }) => className)].map(([name, users]) =>
    ofClass(name, classByName.get(name), users),
  );
  return {
    pools: new Map(groups.flatMap((group) => group.pools)),
    classes: new Map([
      ...classes.map(({ name, nodeClass }) => [name, [nodeClass]] as const),
      ...groups.flatMap(({ name, classes: made }) =>
        made.length > 0 ? [[name, made] as const] : [],
      ),
    ]),
  };
}

interface Group {
  readonly name: string;
  readonly pools: readonly (readonly [name: string, pool: Fields])[];
  readonly classes: readonly Fields[];
}

function ofClass(name: string, nodeClass: Fields | undefined, users: readonly PlacedPool[]): Group {
  if (!nodeClass) return { name, pools: users.map(withoutClass), classes: [] };
  const sets = [...Map.groupBy(users, ({ kubelet = {} }) => canonicalText(kubelet)).values()];
  const made = sets.map((sharing, index) => {
    const [first] = sharing;
    const className = index === 0 || !first ? name : `${name}-${first.name}`;
    return { sharing, className, nodeClass: withKubelet(nodeClass, className, first?.kubelet) };
  });
  return {
    name,
    classes: made.map((one) => one.nodeClass),
    pools: made.flatMap(({ sharing, className }) =>
      sharing.map((user) => [user.name, withClass(user, name, className)] as const),
    ),
  };
}

function withoutClass({
  name,
  pool,
  kubelet,
  className,
  report,
}: PlacedPool): readonly [string, Fields] {
  if (kubelet) {
    report(
      'W-13',
      'spec.template.spec.kubelet',
      `EC2NodeClass ${className} is not in the input; add to its spec: ${JSON.stringify({ kubelet })}`,
    );
  }
  return [name, pool];
}

function withKubelet(nodeClass: Fields, name: string, kubelet: Fields | undefined): Fields {
  const { metadata, spec, ...header } = nodeClass;
  return {
    ...header,
    metadata: { ...toFields(metadata), name },
    spec: { ...toFields(spec), ...(kubelet ? { kubelet } : {}) },
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
