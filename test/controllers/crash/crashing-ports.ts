import type { Ports } from '../../../shared/ports/ports.ts';
import { Crash, type CrashMoment, isCrash } from './effects.ts';

const GUARDED = [
  'cluster',
  'cloud',
  'nodeClaims',
  'leases',
  'launches',
  'commits',
  'commands',
  'nominations',
  'unavailableOfferings',
  'queue',
  'decisionLog',
] as const satisfies readonly (keyof Ports)[];

/** Ports that crash the invocation at the `call`-th call, counted from 1 over all ports. */
export function crashingPorts(ports: Ports, call: number, moment: CrashMoment): Ports {
  let calls = 0;
  const guard = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, key) {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]): Promise<unknown> => {
          calls += 1;
          if (calls > call || (calls === call && moment === 'before')) throw new Crash();
          const result: unknown = await Reflect.apply(method, target, args);
          if (calls >= call) throw new Crash();
          return result;
        };
      },
    });
  const guarded = Object.fromEntries(GUARDED.map((name) => [name, guard(ports[name])]));
  return { ...ports, ...guarded };
}

/** Counts the calls that `work` makes to the ports; each run gets new ports. */
export async function countCalls(freshPorts: () => Ports, work: (ports: Ports) => Promise<void>): Promise<number> {
  for (let call = 1; ; call += 1) {
    if (await survives(crashingPorts(freshPorts(), call, 'before'), work)) return call - 1;
  }
}

/**
 * @returns true if `work` ended before the crash
 */
export async function survives(ports: Ports, work: (ports: Ports) => Promise<void>): Promise<boolean> {
  try {
    await work(ports);
    return true;
  } catch (error) {
    if (!isCrash(error)) throw error;
    return false;
  }
}
