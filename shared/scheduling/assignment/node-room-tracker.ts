import type { HostPort } from '../../model/pods/pod.ts';
import { addTimes, type Vector } from '../data-structures/resource-vectors.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import type { PodClass } from '../pods/pod-classes.ts';

/** What one plan has put on existing bins so far; bins that it leaves alone cost nothing. */
export interface RoomBook {
  readonly placed: ReadonlyMap<ExistingBin, ReadonlyMap<PodClass, number>>;
  free(bin: ExistingBin): Vector;
  hostPorts(bin: ExistingBin): readonly HostPort[];
  put(bin: ExistingBin, cls: PodClass, request: Vector, pods: number): void;
}

export function roomBook(): RoomBook {
  const placed = new Map<ExistingBin, Map<PodClass, number>>();
  const changed = new Map<ExistingBin, { free: Vector; hostPorts: HostPort[] }>();
  return {
    placed,
    free: (bin) => changed.get(bin)?.free ?? bin.free,
    hostPorts: (bin) => changed.get(bin)?.hostPorts ?? bin.hostPorts,
    put(bin, cls, request, pods) {
      const state = changed.get(bin) ?? { free: bin.free.slice(), hostPorts: [...bin.hostPorts] };
      changed.set(bin, state);
      addTimes(state.free, request, -pods);
      state.hostPorts.push(...cls.spec.hostPorts);
      const here = placed.get(bin) ?? new Map<PodClass, number>();
      placed.set(bin, here.set(cls, (here.get(cls) ?? 0) + pods));
    },
  };
}
