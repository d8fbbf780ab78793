import { UnknownObjectError } from '../../console/errors.ts';
import type { Pace, PlayActions } from '../../console/source.ts';
import type { SimWorld } from '../../shared/simulation/world.ts';

interface Played {
  readonly world: SimWorld;
  readonly pace: Pace;
}

/** @param changed - called after what the simulated cluster does not tell by itself */
export function playActions({ world, pace }: Played, changed: () => void): PlayActions {
  return {
    clock({ paused, speed }) {
      if (speed !== undefined) pace.setSpeed(speed);
      if (paused === true) pace.pause();
      if (paused === false) pace.resume();
      changed();
    },
    scale({ replicas, ...workload }) {
      const known = world
        .workloads()
        .some(
          ({ kind, namespace, name }) =>
            kind === workload.kind && namespace === workload.namespace && name === workload.name,
        );
      if (!known) {
        throw new UnknownObjectError(`${workload.kind} ${workload.namespace}/${workload.name}`);
      }
      world.userActions.scale(workload, replicas);
    },
    async interrupt({ node, notice }) {
      const found = await world.ports.nodeClaims.find(node);
      if (!found?.claim.launch) throw new UnknownObjectError(`instance behind node ${node}`);
      world.userActions.interrupt(node, notice);
    },
    shortage({ forMs, ...offering }) {
      world.userActions.exhaustCapacity(offering, forMs);
    },
  };
}
