import type { StoppedRollout } from '../model/nodes/drift.ts';
import type { PoolBackoff } from '../model/nodes/pool-backoff.ts';
import { addResult, type RegistrationHealth } from '../model/nodes/registration-health.ts';
import type { DisruptionCommand } from '../model/plans.ts';
import type { BackoffCause, PoolBackoffs, RegistrationHealths, Rollouts } from '../ports/learned-state.ts';
import type { Commands } from '../ports/records.ts';

export function memoryCommands(): Commands {
  const commands = new Map<string, DisruptionCommand>();

  return {
    list: async () => ({ records: [...commands.values()], unreadable: [] }),
    async add(command) {
      if (!commands.has(command.id)) commands.set(command.id, command);
    },
    async remove(id) {
      commands.delete(id);
    },
  };
}

export function memoryRollouts(): Rollouts {
  const rows = new Map<string, StoppedRollout>();

  return {
    list: async () => [...rows.values()],
    async stop(rollout) {
      rows.set(rollout.nodeClass, rollout);
    },
    async resume(nodeClass) {
      rows.delete(nodeClass);
    },
  };
}

export function memoryRegistrationHealths(): RegistrationHealths {
  const rows = new Map<string, RegistrationHealth>();

  return {
    list: async () => [...rows.values()],
    async record(pool, result) {
      rows.set(pool.name, addResult(rows.get(pool.name), pool, result));
    },
  };
}

export function memoryPoolBackoffs(): PoolBackoffs {
  const rows = new Map<string, PoolBackoff>();

  return {
    list: async (cause) => [...rows].filter(([key]) => key.startsWith(`${cause}/`)).map(([, backoff]) => backoff),
    async save(cause, backoff) {
      rows.set(backoffKey(cause, backoff.pool, backoff.owner), backoff);
    },
    async remove(cause, pool, owner) {
      rows.delete(backoffKey(cause, pool, owner));
    },
  };
}

const backoffKey = (cause: BackoffCause, pool: string, owner = ''): string => `${cause}/${pool}/${owner}`;
