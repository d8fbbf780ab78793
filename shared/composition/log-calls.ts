import type { Log } from '../aws/log.ts';
import type { Clock } from '../ports/ports.ts';

/**
 * Wraps ports so that each call that waits for something outside writes one debug line: port, call,
 * milliseconds, and the name of the error of a call that failed. Arguments and results are left out:
 * they may be large, and logs are kept longer than access rights.
 */
export function logCalls<P extends object>(ports: P, log: Log, clock: Clock): P {
  return new Proxy(ports, {
    get(target, key): unknown {
      const port: unknown = Reflect.get(target, key);
      return isPort(port) && typeof key === 'string' ? logCallsOf(key, port, log, clock) : port;
    },
  });
}

/** Data, such as settings, stays as it is: plain objects can be copied and compared, proxies cannot. */
const isPort = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).some((member) => typeof member === 'function');

function logCallsOf(port: string, implementation: object, log: Log, clock: Clock): object {
  return new Proxy(implementation, {
    get(target, key): unknown {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        const startedAt = clock.now();
        const result: unknown = Reflect.apply(method, target, args);
        if (!(result instanceof Promise)) return result;
        const write = (outcome: object): void =>
          log({
            level: 'debug',
            message: 'call',
            fields: { port, call: String(key), ms: clock.now() - startedAt, ...outcome },
          });
        result.then(
          () => write({}),
          (error: unknown) => write({ error: error instanceof Error ? error.name : typeof error }),
        );
        return result;
      };
    },
  });
}
