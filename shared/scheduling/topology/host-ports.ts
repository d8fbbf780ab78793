import type { HostPort } from '../../model/pod.ts';

const UNSPECIFIED: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/** @see kube-scheduler, NodePorts: an unspecified address clashes with every address. */
const clashes = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.ip === b.ip || UNSPECIFIED.has(a.ip) || UNSPECIFIED.has(b.ip));

/** The first of `wanted` that is taken. */
export const takenPort = (
  wanted: readonly HostPort[],
  taken: readonly HostPort[],
): HostPort | undefined => wanted.find((port) => taken.some((other) => clashes(port, other)));
