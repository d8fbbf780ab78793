import type { Ports } from '../../../shared/ports/ports.ts';

/** The invocation ended here: time-out, out of memory, or a lost host. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** Promises that run concurrently crash together. */
export const isCrash = (error: unknown): boolean =>
  error instanceof Crash || (error instanceof AggregateError && error.errors.every(isCrash));

/** `before` the call took effect, or `after` it did and its answer was lost. */
export type CrashMoment = 'before' | 'after';

/**
 * The calls that change something outside of the process: a crash between any two of them matters.
 */
const EFFECTS = {
  cluster: [
    'projectNodeClaim',
    'removeNodeClaim',
    'reportNodePool',
    'reportExtension',
    'changeNode',
    'deleteNode',
    'evict',
    'deletePod',
  ],
  cloud: ['launch', 'nameInstance', 'terminate', 'reboot'],
  nodeClaims: ['save'],
  launches: ['save', 'remove'],
  leases: ['acquire', 'renew', 'release'],
  commits: ['add', 'close'],
  commands: ['add', 'remove'],
  nominations: ['nominate'],
  unavailableOfferings: ['mark'],
  queue: ['send'],
} as const satisfies { readonly [P in keyof Ports]?: readonly (keyof Ports[P])[] };

const GUARDED = [
  'cluster',
  'cloud',
  'nodeClaims',
  'launches',
  'leases',
  'commits',
  'commands',
  'nominations',
  'unavailableOfferings',
  'queue',
] as const satisfies readonly (keyof typeof EFFECTS)[];

/**
 * Ports that report each effect before and after it happens; `watch` crashes the invocation by
 * throwing.
 */
export function watchEffects(ports: Ports, watch: (effect: string, moment: CrashMoment) => void): Ports {
  const guarded = GUARDED.map((name) => {
    const effects = new Set<PropertyKey>(EFFECTS[name]);
    return [name, guard(ports[name], name, effects, watch)] as const;
  });
  return { ...ports, ...Object.fromEntries(guarded) };
}

function guard<T extends object>(
  port: T,
  name: string,
  effects: ReadonlySet<PropertyKey>,
  watch: (effect: string, moment: CrashMoment) => void,
): T {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function' || !effects.has(key)) return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const effect = `${name}.${String(key)}`;
        watch(effect, 'before');
        const result: unknown = await Reflect.apply(method, target, args);
        watch(effect, 'after');
        return result;
      };
    },
  });
}
