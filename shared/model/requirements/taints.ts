export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
}

export interface Toleration {
  readonly key?: string;
  readonly operator: 'Exists' | 'Equal' | 'Gt' | 'Lt';
  readonly value?: string;
  /** `undefined` for every effect. */
  readonly effect?: TaintEffect;
}

export const UNREGISTERED_TAINT: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
export const DISRUPTED_TAINT: Taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
/** On nodes that are drained and rebooted in place, until they have another boot. */
export const REBOOTING_TAINT: Taint = { key: 'karpenter.sh/rebooting', effect: 'NoSchedule' };
/**
 * On nodes of a pool that is expensive for some pods: these prefer the cheaper pool. It keeps no pod
 * away, so it counts only where kube-scheduler's scores are simulated.
 */
export const EXPENSIVE_POOL_TAINT: Taint = {
  key: 'mortise.sh/expensive-pool',
  effect: 'PreferNoSchedule',
};

/**
 * On nodes that their pool could do without: new pods prefer other nodes. It keeps no pod away, as the
 * taint of expensive pools.
 */
export const SURPLUS_TAINT: Taint = { key: 'mortise.sh/surplus', effect: 'PreferNoSchedule' };

/**
 * On new nodes that are for pods which the other nodes of the plan cannot take: pods prefer those nodes
 * until the pods of the plan are bound. It keeps no pod away, as the taint of expensive pools.
 */
export const FILL_LAST_TAINT: Taint = { key: 'mortise.sh/fill-last', effect: 'PreferNoSchedule' };

/** Taints of ours that only kube-scheduler's scores see; the planner ignores them. */
export const STEERING_TAINTS: readonly Taint[] = [EXPENSIVE_POOL_TAINT, SURPLUS_TAINT, FILL_LAST_TAINT];

/**
 * Taints that disappear while a node starts: they delay Initialized, but the planner ignores them.
 */
const EPHEMERAL_TAINTS: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' },
  UNREGISTERED_TAINT,
  REBOOTING_TAINT,
];

export const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

export const isEphemeralTaint = (taint: Taint): boolean =>
  taint.key.startsWith('readiness.k8s.io/') ||
  EPHEMERAL_TAINTS.some((ephemeralTaint) => isSameTaint(ephemeralTaint, taint));

export const isSteeringTaint = (taint: Taint): boolean => STEERING_TAINTS.some((own) => isSameTaint(own, taint));

/** Appends the taints of `b` that `a` does not have. Key and effect identify a taint. */
export const mergeTaints = (a: readonly Taint[], b: readonly Taint[]): readonly Taint[] => [
  ...a,
  ...b.filter((taint) => !a.some((other) => isSameTaint(other, taint))),
];

/** @see kubernetes core/v1 Toleration.ToleratesTaint, with the numeric operators of 1.35 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator) {
    case 'Exists':
      return true;
    case 'Equal':
      return toleration.key !== undefined && (toleration.value ?? '') === (taint.value ?? '');
    case 'Gt':
    case 'Lt': {
      const [has, limit] = [parseInteger(taint.value), parseInteger(toleration.value)];
      if (has === undefined || limit === undefined) return false;
      return toleration.operator === 'Gt' ? has > limit : has < limit;
    }
  }
}

const parseInteger = (text: string | undefined): number | undefined =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;

/** Finds the first taint that no toleration matches. */
export const findUntoleratedTaint = (taints: readonly Taint[], tolerations: readonly Toleration[]): Taint | undefined =>
  taints.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));

/** Formats the taint like `kubectl describe`: `key=value:Effect`. */
export const formatTaint = ({ key, value, effect }: Taint): string =>
  value ? `${key}=${value}:${effect}` : `${key}:${effect}`;
